//! Decides which of the requested changes can be undone. A text is restored if all its changes are undone and the text
//! is still as the condensation left it. Dropped messages are restored together, in place of their replacement. No
//! pointer may resolve to other lines afterwards.

use super::{
    answer::{Refusal, Undone},
    work::Work,
};
use crate::{
    formats::NotCarried,
    maps::{HashMap, HashSet},
};

/// Maximum number of trials to find the changes that mislead a pointer by themselves. Changes that are still undecided
/// then are refused together.
const MAX_TRIALS: usize = 64;
/// Maximum number of changes that a message names.
const MAX_NAMED: usize = 5;

/// The requested changes, and the ones among them that can be undone as far as is known.
pub(super) struct Choice<'c, 'a> {
    work: &'c Work<'c, 'a>,
    /// The groups of each change.
    groups_of: HashMap<&'c str, Vec<usize>>,
    asked: Vec<&'c str>,
    wanted: HashSet<&'c str>,
    refused: HashMap<&'c str, Refusal>,
    trials: usize,
}

/// The further changes that must be undone together with given ones, or the message with a pointer that no change
/// wrote.
struct Needs<'c> {
    others: Vec<&'c str>,
    message: Option<usize>,
}

impl<'c, 'a> Choice<'c, 'a> {
    /// Decides about the changes `only`.
    pub fn make(work: &'c Work<'c, 'a>, only: &'c [impl AsRef<str>]) -> Result<Self, NotCarried> {
        let mut groups_of: HashMap<&str, Vec<usize>> = HashMap::default();
        for (group, ids) in work.data.groups.iter().enumerate() {
            for id in ids {
                groups_of.entry(id).or_default().push(group);
            }
        }
        let asked = unique(only.iter().map(AsRef::as_ref));
        let wanted = asked.iter().copied().collect();
        let mut choice = Self { work, groups_of, asked, wanted, refused: HashMap::default(), trials: 0 };
        choice.refuse_obstructed();
        choice.refuse_incomplete();
        choice.refuse_returning()?;
        choice.refuse_misleading()?;
        Ok(choice)
    }

    /// Undoes the changes `only` with all changes that depend on them: other changes of the same texts, and pointers
    /// that would resolve to other lines. If a change cannot be undone in this way either, its dependants are not
    /// undone.
    pub fn with_dependants(work: &'c Work<'c, 'a>, only: &'c [String]) -> Result<Undone, NotCarried> {
        let only = unique(only.iter().map(String::as_str));
        let mut asked: Vec<String> = only.iter().map(|id| (*id).to_owned()).collect();
        let mut refused: HashMap<String, Refusal> = HashMap::default();
        loop {
            let mut ids = asked.clone();
            let undone = loop {
                let (undone, needed) = Self::answered(work, &ids)?;
                let known = ids.len();
                ids.extend(needed);
                ids = unique(ids.iter().map(String::as_str)).into_iter().map(str::to_owned).collect();
                if ids.len() == known {
                    break undone;
                }
            };
            let failed: Vec<&Refusal> = undone.refused.iter().filter(|refusal| asked.contains(&refusal.id)).collect();
            refused.extend(failed.iter().map(|refusal| (refusal.id.clone(), (*refusal).clone())));
            // Without the requested changes that were refused, fewer may be included.
            if !failed.is_empty() {
                asked.retain(|id| !refused.contains_key(id));
                continue;
            }
            let (restored, dependants) = undone.restored.iter().cloned().partition(|id| asked.contains(id));
            let refused = only.iter().filter_map(|id| refused.remove(*id)).collect();
            return Ok(Undone { restored, dependants: Some(dependants), refused, ..undone });
        }
    }

    /// Returns the answer about some changes, and the changes that its refusals require.
    fn answered(work: &Work<'_, 'a>, ids: &[String]) -> Result<(Undone, Vec<String>), NotCarried> {
        let choice = Choice::make(work, ids)?;
        let undone = choice.undone();
        let needed = undone.refused.iter().filter_map(|refusal| refusal.with.clone()).flatten().collect();
        Ok((undone, needed))
    }

    /// Returns the edits that undo all possible changes, and the reasons against the others.
    pub fn undone(mut self) -> Undone {
        let restored = self.wanted().into_iter().map(str::to_owned).collect();
        let refused = self.asked.iter().filter_map(|id| self.refused.remove(id)).collect();
        let undone = Undone { restored, refused, ..Undone::default() };
        let groups = self.groups(self.wanted());
        if groups.is_empty() {
            return undone;
        }
        let (taken, left) = self.work.done(&groups);
        Undone { taken: self.work.texts(&taken), left: Some(left), ..undone }
    }

    /// Returns the changes that can be undone as far as is known, in the order of the request.
    fn wanted(&self) -> Vec<&'c str> {
        self.asked.iter().copied().filter(|id| self.wanted.contains(id)).collect()
    }

    fn groups(&self, ids: impl IntoIterator<Item = &'c str>) -> HashSet<usize> {
        ids.into_iter().flat_map(|id| &self.groups_of[id]).copied().collect()
    }

    /// Returns the changes of a group.
    fn changes(&self, group: usize) -> impl Iterator<Item = &'c str> + use<'c, 'a> {
        self.work.data.groups.get(group).into_iter().flatten().map(String::as_str)
    }

    fn refuse(&mut self, id: &'c str, code: &'static str, reason: String) -> &mut Refusal {
        self.wanted.remove(id);
        let refusal = Refusal { id: id.to_owned(), code, reason, message_index: None, with: None };
        self.refused.entry(id).insert_entry(refusal).into_mut()
    }

    /// Refuses a change because a pointer would resolve to other lines unless these changes are undone, too.
    fn refuse_without(&mut self, id: &'c str, others: &[&str]) {
        let names = names(others);
        let reason = format!("a pointer would lead to other lines without {names}: undo them together");
        self.refuse(id, "needs_others", reason).with = Some(owned(others));
    }

    /// Refuses changes that are unknown, or whose texts are no longer as the condensation left them.
    fn refuse_obstructed(&mut self) {
        for id in self.asked.clone() {
            let Some(groups) = self.groups_of.get(id) else {
                let reason = "is no change of this condensation, or nothing is left of it".to_owned();
                self.refuse(id, "unknown_change", reason);
                continue;
            };
            if let Some(obstacle) = groups.iter().find_map(|group| self.work.obstacle(*group)) {
                self.refuse(id, "changed_since", obstacle.reason).message_index = obstacle.message;
            }
        }
    }

    /// Refuses changes that share a text or messages with changes that stay. Refusing one may be a reason to refuse
    /// others.
    fn refuse_incomplete(&mut self) {
        let mut before = usize::MAX;
        while before != self.wanted.len() {
            before = self.wanted.len();
            let mut missing: HashMap<usize, Vec<&str>> = HashMap::default();
            for id in self.wanted() {
                let mut others = Vec::new();
                for group in &self.groups_of[id] {
                    let staying = || self.changes(*group).filter(|other| !self.wanted.contains(other)).collect();
                    others.extend_from_slice(missing.entry(*group).or_insert_with(staying));
                }
                if others.is_empty() {
                    continue;
                }
                let others = if self.groups_of[id].len() == 1 { others } else { unique(others) };
                let verb = if others.len() == 1 { "is" } else { "are" };
                let names = names(&others);
                let reason = format!("{names} {verb} about the same text or messages: undo them together");
                self.refuse(id, "needs_others", reason).with = Some(owned(&others));
            }
        }
    }

    /// Refuses changes that would restore pointers that resolve to other lines than before. Each refusal names the
    /// changes that removed the original lines. Repeats, because a refused change may be the reason that another
    /// pointer resolves to other lines.
    fn refuse_returning(&mut self) -> Result<(), NotCarried> {
        let clusters = self.clusters();
        let of: HashMap<&str, usize> =
            clusters.iter().enumerate().flat_map(|(cluster, ids)| ids.iter().map(move |id| (*id, cluster))).collect();
        loop {
            let undone = self.groups(self.wanted());
            // Most changes restore no pointers, so the messages need not be read.
            if !self.work.returns_pointers(&undone) {
                return Ok(());
            }
            let mut needed: Vec<(usize, Vec<&str>)> = Vec::new();
            for misled in self.work.misled(&undone)? {
                let own = misled.own.and_then(|own| self.changes(own).find(|id| self.wanted.contains(id)));
                let Some(cluster) = own.and_then(|id| of.get(id).copied()) else { continue };
                let at = needed.iter().position(|(known, _)| *known == cluster).unwrap_or_else(|| {
                    needed.push((cluster, Vec::new()));
                    needed.len() - 1
                });
                let group = misled.group.unwrap_or(usize::MAX);
                needed[at].1.extend(self.changes(group).filter(|other| !self.wanted.contains(other)));
            }
            if needed.is_empty() {
                return Ok(());
            }
            for (cluster, others) in needed {
                let others = unique(others);
                clusters[cluster].iter().copied().for_each(|id| self.refuse_without(id, &others));
            }
        }
    }

    /// Refuses changes after which pointers elsewhere would resolve to other lines than now.
    fn refuse_misleading(&mut self) -> Result<(), NotCarried> {
        let all = self.wanted();
        if all.is_empty() {
            return Ok(());
        }
        let whole = self.needs(&all)?;
        if self.has_all(&whole) {
            return Ok(());
        }
        let clusters = self.clusters();
        if clusters.len() > 1 {
            self.look(&clusters)?;
        }
        let rest = self.wanted();
        if rest.is_empty() {
            return Ok(());
        }
        let together = if rest.len() == all.len() { whole } else { self.needs(&rest)? };
        if !self.has_all(&together) {
            self.refuse_all(&rest, &together);
        }
        Ok(())
    }

    /// Finds the clusters that mislead by themselves. Bisects, because most changes can be undone without misleading
    /// any pointer.
    fn look(&mut self, clusters: &[Vec<&'c str>]) -> Result<(), NotCarried> {
        if clusters.is_empty() || self.trials >= MAX_TRIALS {
            return Ok(());
        }
        self.trials += 1;
        let ids = clusters.concat();
        let needs = self.needs(&ids)?;
        if self.has_all(&needs) {
            return Ok(());
        }
        if clusters.len() == 1 {
            self.refuse_all(&ids, &needs);
            return Ok(());
        }
        let (one, other) = clusters.split_at(clusters.len() / 2);
        self.look(one)?;
        self.look(other)
    }

    fn has_all(&self, needs: &Needs<'_>) -> bool {
        needs.message.is_none() && needs.others.iter().all(|id| self.wanted.contains(id))
    }

    fn refuse_all(&mut self, ids: &[&'c str], needs: &Needs<'c>) {
        for id in ids.iter().copied() {
            if let Some(message) = needs.message {
                let reason =
                    format!("a pointer in messages[{message}] would lead to other lines, and no change put it there");
                self.refuse(id, "misleads", reason).message_index = Some(message);
                continue;
            }
            let others: Vec<&str> = needs.others.iter().copied().filter(|id| !self.wanted.contains(id)).collect();
            self.refuse_without(id, &others);
        }
    }

    /// Finds the changes that must be undone together with these, so that no pointer resolves to other lines.
    fn needs(&self, ids: &[&'c str]) -> Result<Needs<'c>, NotCarried> {
        let mut all = unique(ids.iter().copied());
        let mut known: HashSet<&str> = all.iter().copied().collect();
        let given = all.len();
        loop {
            let misled = self.work.misled(&self.groups(all.iter().copied()))?;
            let Some(first) = misled.first() else {
                return Ok(Needs { others: all.split_off(given), message: None });
            };
            let size = all.len();
            let writers = misled.iter().filter_map(|misled| misled.group).flat_map(|group| self.changes(group));
            all.extend(writers.filter(|id| known.insert(id)));
            self.close(&mut all, &mut known);
            if all.len() == size {
                return Ok(Needs { others: Vec::new(), message: Some(first.message) });
            }
        }
    }

    /// Adds the changes that share a group with one of these.
    fn close(&self, ids: &mut Vec<&'c str>, known: &mut HashSet<&'c str>) {
        let mut next = 0;
        while let Some(id) = ids.get(next).copied() {
            next += 1;
            let sharing = self.groups_of[id].iter().flat_map(|group| self.changes(*group));
            ids.extend(sharing.filter(|id| known.insert(id)));
        }
    }

    /// Divides the changes into as many lists as possible that can be undone separately.
    fn clusters(&self) -> Vec<Vec<&'c str>> {
        let mut known: HashSet<&str> = self.asked.iter().copied().filter(|id| !self.wanted.contains(id)).collect();
        let mut clusters = Vec::new();
        for first in self.wanted() {
            if known.insert(first) {
                let mut cluster = vec![first];
                self.close(&mut cluster, &mut known);
                clusters.push(cluster);
            }
        }
        clusters
    }
}

/// Returns each id once, at its first position.
fn unique<'i>(ids: impl IntoIterator<Item = &'i str>) -> Vec<&'i str> {
    let mut known = HashSet::default();
    ids.into_iter().filter(|id| known.insert(*id)).collect()
}

fn owned(ids: &[&str]) -> Vec<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}

/// Names changes by their ids.
fn names(ids: &[&str]) -> String {
    match ids {
        [id] => format!("the change {id}"),
        _ if ids.len() <= MAX_NAMED => format!("the changes {}", ids.join(", ")),
        _ => format!("the changes {} and {} more", ids[..MAX_NAMED].join(", "), ids.len() - MAX_NAMED),
    }
}
