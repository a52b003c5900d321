"use strict";

// `roo-condense completions SHELL`: the script that completes commands, flags and their values, made from the tables
// of both.

const { COMMANDS, FLAGS, commandNames, flagsOf } = require("./flags.js");
const { shellQuoted } = require("./terminal.js");

/** The commands that are recognised by their name. Everything else condenses. */
const NAMED = COMMANDS.filter(({ name }) => name !== "condense");
const [CONDENSE] = COMMANDS;
/** The commands whose argument is a word, not a history. */
const OF_WORDS = COMMANDS.filter(({ arguments: { values } }) => values);

/** @param {import("./flags.js").Flag} flag */
const forms = ({ name, short }) => [`--${name}`, ...(short ? [`-${short}`] : [])];
const longForms = (command) =>
  flagsOf(command.name)
    .map(({ name }) => `--${name}`)
    .join(" ");
const isNotCondensing = NAMED.map(({ name }) => name).join(" ");

/** Returns the values of a flag or an argument, as a shell takes them. */
/** @param {{ values?: readonly string[] }} of */
const wordsOf = ({ values }) => values?.join(" ");

function bash() {
  const reply = (flag) => {
    const words = wordsOf(flag);
    const how = words ? `-W "${words}"` : flag.isFile ? "-f" : undefined;
    return how ? `COMPREPLY=($(compgen ${how} -- "$cur")); return` : "return";
  };
  const caseOf = (flag, command) =>
    `    ${forms(flag)
      .map((form) => `"${command} "${form}`)
      .join("|")}) ${reply(flag)} ;;`;
  // A command for which a flag takes other values comes first.
  const special = NAMED.flatMap(({ name }) =>
    flagsOf(name)
      .filter((flag) => FLAGS.find((other) => other.name === flag.name)?.values !== flag.values)
      .map((flag) => caseOf(flag, name)),
  );
  const values = [
    ...special,
    ...FLAGS.filter(({ value }) => value).map(
      (flag) =>
        `    ${forms(flag)
          .map((form) => `*" "${form}`)
          .join("|")}) ${reply(flag)} ;;`,
    ),
    ...OF_WORDS.map((command) => `    *" "${command.name}) [[ $COMP_CWORD -eq 2 ]] && { ${reply(command.arguments)}; } ;;`),
  ];
  return `# bash completion for roo-condense
_roo_condense() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" options
  COMPREPLY=()
  # bash splits --color=never into three words.
  if [[ "$cur" == "=" ]]; then cur=""; elif [[ "$prev" == "=" ]]; then prev="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  if [[ "$cur" != -* ]]; then case "\${COMP_WORDS[1]} $prev" in
${values.join("\n")}
  esac; fi
  case "\${COMP_WORDS[1]}" in
${NAMED.map((command) => `    ${command.name}) options="${longForms(command)}" ;;`).join("\n")}
    *) options="${longForms(CONDENSE)}" ;;
  esac
  if [[ "$cur" == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
  else
    COMPREPLY=($(compgen -f -- "$cur"))
    if [[ $COMP_CWORD -eq 1 ]]; then COMPREPLY+=($(compgen -W "${commandNames.join(" ")}" -- "$cur")); fi
  fi
}
complete -o filenames -F _roo_condense roo-condense
`;
}

function zsh() {
  const action = (taken) => (wordsOf(taken) ? `(${wordsOf(taken)})` : taken.isFile ? "_files" : "");
  const flagOf = (flag) => {
    const value = flag.value ? `:${flag.value}:${action(flag)}` : "";
    const about = flag.about.replace(/[[\]\\:]/g, "\\$&");
    // --out FILE and --out=FILE.
    const named = (form) => `${form}${flag.value && form.startsWith("--") ? "=" : ""}`;
    return forms(flag).map((form) => shellQuoted(`${flag.multiple ? "*" : ""}${named(form)}[${about}]${value}`));
  };
  const words = (command) => {
    const taken = command.arguments.values ? `1:word:${action(command.arguments)}` : "*:history:_files";
    return [...flagsOf(command.name).flatMap(flagOf), shellQuoted(taken)].join(" \\\n      ");
  };
  // The name of a command is not one of its arguments.
  const cases = NAMED.map(
    (command) => `    ${command.name}) words=(roo-condense "\${(@)words[3,-1]}"); (( CURRENT-- )); _arguments \\
      ${words(command)} ;;`,
  );
  const described = COMMANDS.map(({ name, about }) => shellQuoted(`${name}:${about.replaceAll(":", "\\:")}`));
  return `#compdef roo-condense
# zsh completion for roo-condense
_roo_condense() {
  if (( CURRENT == 2 )) && [[ "\${words[2]}" != -* ]]; then
    local -a commands=(${described.join(" ")})
    _describe command commands
    _files
    return
  fi
  case "\${words[2]}" in
${cases.join("\n")}
    *) _arguments \\
      ${words(CONDENSE)} ;;
  esac
}
if [[ "$funcstack[1]" == _roo_condense ]]; then _roo_condense "$@"; else compdef _roo_condense roo-condense; fi
`;
}

function fish() {
  const quoted = (text) => `'${text.replace(/['\\]/g, "\\$&")}'`;
  const taken = (flag) => {
    const words = wordsOf(flag);
    return words ? ` -x -a '${words}'` : flag.isFile ? " -r -F" : flag.value ? " -x" : "";
  };
  const isIn = (command) =>
    quoted(command === CONDENSE ? `not __fish_seen_subcommand_from ${isNotCondensing}` : `__fish_seen_subcommand_from ${command.name}`);
  const flags = (command) =>
    flagsOf(command.name).map((flag) => {
      const letter = flag.short ? ` -s ${flag.short}` : "";
      return `complete -c roo-condense -n ${isIn(command)} -l ${flag.name}${letter}${taken(flag)} -d ${quoted(flag.about)}`;
    });
  return `# fish completion for roo-condense
${COMMANDS.map(({ name, about }) => `complete -c roo-condense -n __fish_use_subcommand -a ${name} -d ${quoted(about)}`).join("\n")}
${OF_WORDS.map((command) => `complete -c roo-condense -n ${isIn(command)} -x -a '${wordsOf(command.arguments)}'`).join("\n")}
${COMMANDS.flatMap(flags).join("\n")}
`;
}

const SCRIPTS = { bash, zsh, fish };

/** Returns the script for a shell. */
const completions = (shell) => SCRIPTS[shell]();

module.exports = { completions };
