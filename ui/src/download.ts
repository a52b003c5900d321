/** Makes the browser save a text as a file with this name. */
export function download(name: string, text: string, type = "application/json"): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  // Not at once: browsers that ask where to save it read it later.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
