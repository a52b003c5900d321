"use strict";

// `roo-condense completions SHELL`: what the shell completes, from the table of the arguments.

const { CHOICES, COMMANDS, OPTIONS } = require("./arguments.js");

const PRESETS = ["conservative", "quality", "balanced", "aggressive", "multi_zone", "selective"];
const PROVIDERS = [
  ...["native", "lossless", "truncation", "smart"],
  ...["pipeline", "adaptive", "cost_aware", "quality_first", "per_user", "ab_test", "progressive"],
];

/** The values of options that are one of a few. */
const VALUES = { provider: PROVIDERS, preset: PRESETS, llm: CHOICES.llm, color: CHOICES.color };
/** Options whose value is a file. */
const FILES = ["out", "html", "config", "tools", "price", "restore-data"];

const commands = Object.keys(COMMANDS).filter((name) => name !== "condense");
const optionsOf = (command) => [...COMMANDS[command], "help", "version"];
const long = (name) => `--${name}`;

function bash() {
  const values = Object.entries(VALUES).map(
    ([name, words]) => `    --${name}) COMPREPLY=($(compgen -W "${words.join(" ")}" -- "$cur")); return ;;`,
  );
  const files = `    ${FILES.map(long).join("|")}|-o) COMPREPLY=($(compgen -f -- "$cur")); return ;;`;
  const options = Object.keys(COMMANDS)
    .filter((name) => name !== "condense")
    .map((name) => `    ${name}) options="${optionsOf(name).map(long).join(" ")}" ;;`);
  return `# bash completion for roo-condense
_roo_condense() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" options
  COMPREPLY=()
  case "$prev" in
${[...values, files].join("\n")}
    completions) COMPREPLY=($(compgen -W "${CHOICES.shell.join(" ")}" -- "$cur")); return ;;
  esac
  case "\${COMP_WORDS[1]}" in
${options.join("\n")}
    *) options="${optionsOf("condense").map(long).join(" ")}" ;;
  esac
  if [[ "$cur" == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
  else
    COMPREPLY=($(compgen -f -- "$cur"))
    if [[ $COMP_CWORD -eq 1 ]]; then COMPREPLY+=($(compgen -W "${commands.join(" ")}" -- "$cur")); fi
  fi
}
complete -o filenames -F _roo_condense roo-condense
`;
}

function zsh() {
  const option = (name) => {
    const { type, short } = OPTIONS[name];
    const value =
      type === "boolean" ? "" : VALUES[name] ? `:${name}:(${VALUES[name].join(" ")})` : `:${name}:${FILES.includes(name) ? "_files" : ""}`;
    return [long(name), ...(short ? [`-${short}`] : [])].map((word) => `    '${word}${value}'`);
  };
  const cases = Object.keys(COMMANDS)
    .filter((name) => name !== "condense" && name !== "completions")
    .map(
      (name) =>
        `    ${name}) _arguments \\\n${[...optionsOf(name).flatMap(option), "    '*:history:_files'"].map((line) => `  ${line}`).join(" \\\n")} ;;`,
    );
  return `#compdef roo-condense
# zsh completion for roo-condense
_roo_condense() {
  if (( CURRENT == 2 )) && [[ "\${words[2]}" != -* ]]; then
    compadd -- ${commands.join(" ")}
    _files
    return
  fi
  case "\${words[2]}" in
    completions) compadd -- ${CHOICES.shell.join(" ")} ;;
${cases.join("\n")}
    *) _arguments \\
${[...optionsOf("condense").flatMap(option), "    '*:history:_files'"].map((line) => `  ${line}`).join(" \\\n")} ;;
  esac
}
if [[ "$funcstack[1]" == _roo_condense ]]; then _roo_condense "$@"; else compdef _roo_condense roo-condense; fi
`;
}

function fish() {
  const option = (name, condition) => {
    const { type, short } = OPTIONS[name];
    const words = VALUES[name] ? ` -x -a '${VALUES[name].join(" ")}'` : FILES.includes(name) ? " -r -F" : type === "string" ? " -x" : "";
    return `complete -c roo-condense${condition} -l ${name}${short ? ` -s ${short}` : ""}${words}`;
  };
  const of = (command) => {
    const condition =
      command === "condense"
        ? ` -n 'not __fish_seen_subcommand_from ${commands.join(" ")}'`
        : ` -n '__fish_seen_subcommand_from ${command}'`;
    return optionsOf(command).map((name) => option(name, condition));
  };
  return `# fish completion for roo-condense
complete -c roo-condense -n __fish_use_subcommand -a '${commands.join(" ")}'
complete -c roo-condense -n '__fish_seen_subcommand_from completions' -x -a '${CHOICES.shell.join(" ")}'
${Object.keys(COMMANDS).flatMap(of).join("\n")}
`;
}

const SCRIPTS = { bash, zsh, fish };

/** The script that a shell reads. */
const completions = (shell) => SCRIPTS[shell]();

module.exports = { completions };
