// The ways out of the page: saving in place and undoing that, copying, downloading, and a report.

import { useCallback, useEffect, useState } from "react";
import { useStudio } from "./context.js";
import { download } from "./download.js";
import { type Condensation, type Fault, type HistoryInfo, StudioError, type Written, faultOf, isGone } from "./types.js";

/** The last action. */
export type Done =
  | (Written & { what: "saved" | "undone" })
  | { what: "copied" }
  | { what: "downloaded"; file: string; restoreData?: string | undefined };

/** `key`: identifies the choices that the last message belongs to. `onGone` is called if the host no longer keeps the condensation. */
export function useSaving(history: HistoryInfo, condensation: Condensation | undefined, key: string, onGone: () => void) {
  const { client } = useStudio();
  const { id, revision } = history;
  const [done, setDone] = useState<Done>();
  const [problem, setProblem] = useState<Fault>();
  const [isBusy, setBusy] = useState(false);
  const clear = useCallback(() => {
    setDone(undefined);
    setProblem(undefined);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was said belongs to what was chosen
  useEffect(clear, [clear, key]);
  useEffect(() => {
    // Keeps the message about a revision that this page has written; a revision by others clears it.
    setDone((old) => (old !== undefined && "revision" in old && old.revision === revision ? old : undefined));
    // Keeps the message that the file was not saved because it had changed.
    setProblem((old) => (old?.code === "unreadable" ? undefined : old));
  }, [revision]);
  const run = async (work: () => Promise<Done>) => {
    clear();
    setBusy(true);
    try {
      setDone(await work());
    } catch (error) {
      setProblem(faultOf(error));
      if (isGone(error)) onGone();
    } finally {
      setBusy(false);
    }
  };
  const exported = () => client.export({ condensation: condensation!.id });
  return {
    done,
    problem,
    isBusy,
    clear,
    save: () => run(async () => ({ ...(await client.save({ condensation: condensation!.id })), what: "saved" })),
    undo: () => run(async () => ({ ...(await client.undoSave({ history: id })), what: "undone" })),
    copy: () =>
      run(async () => {
        const { text } = await exported();
        try {
          await navigator.clipboard.writeText(text);
        } catch {
          throw new StudioError("not_copied", "the browser does not let this page copy");
        }
        return { what: "copied" };
      }),
    saveAs: () =>
      run(async () => {
        const { name, text, restore } = await exported();
        download(name, text);
        if (restore) download(restore.name, restore.text);
        return { what: "downloaded", file: name, restoreData: restore?.name };
      }),
    report: () =>
      run(async () => {
        const { name, text } = await client.report({ condensation: condensation!.id });
        download(name, text, "text/html");
        return { what: "downloaded", file: name };
      }),
  };
}

export type Saving = ReturnType<typeof useSaving>;
