import type { Known } from './known-command.ts';

/** What may follow the typed words; the last one is the word under the cursor and may be empty. */
export function completions(typed: readonly string[], known: readonly Known[]): string[] {
  const current = typed.at(-1) ?? '';
  const words = typed.slice(0, -1).filter((word) => !word.startsWith('-'));
  const found = new Set<string>();
  for (const command of known) {
    const common = Math.min(words.length, command.words.length);
    if (!words.slice(0, common).every((word, i) => command.words[i] === word)) continue;
    const next = command.words[words.length];
    if (next !== undefined && !current.startsWith('-')) found.add(next);
    if (words.length >= command.words.length && current.startsWith('-'))
      for (const flag of command.flags) found.add(flag);
  }
  return [...found].filter((word) => word.startsWith(current)).sort();
}

const SCRIPTS: Record<string, string> = {
  bash: `_weir() { mapfile -t COMPREPLY < <(weir __complete "\${COMP_WORDS[@]:1:COMP_CWORD}"); }
complete -F _weir weir
`,
  zsh: `#compdef weir
_weir() { compadd -- \${(f)"$(weir __complete "\${(@)words[2,CURRENT]}")"} }
compdef _weir weir
`,
  fish: `complete -c weir -f -a '(set -l typed (commandline -opc) (commandline -ct); weir __complete $typed[2..-1])'
`,
};

/** The shells that have a completion script. */
export const SHELLS = Object.keys(SCRIPTS);

/** The completion script of a shell; undefined for a shell that is not known. */
export const completionScript = (shell: string): string | undefined =>
  Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
