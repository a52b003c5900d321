//! The plan of a report, in the form for JavaScript.

use serde::{Serialize, Serializer};

use crate::{
    conversation::{BoundPlan, Plan},
    formats::ForeignEdit,
};

/// The plan of a report, for messages in our own format or in another one.
#[derive(Debug)]
pub(super) enum ToldPlan {
    Own(BoundPlan),
    Foreign { own: BoundPlan, edits: Vec<GroupedEdit> },
}

/// An edit with the number of the group of edits that are undone together.
#[derive(Debug, Serialize)]
pub(super) struct GroupedEdit {
    #[serde(flatten)]
    pub edit: ForeignEdit,
    pub group: usize,
}

impl ToldPlan {
    pub(super) fn plan(&self) -> &Plan {
        let (Self::Own(plan) | Self::Foreign { own: plan, .. }) = self;
        plan.plan()
    }
}

impl Serialize for ToldPlan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Own(plan) => plan.serialize(serializer),
            Self::Foreign { edits, .. } => edits.serialize(serializer),
        }
    }
}
