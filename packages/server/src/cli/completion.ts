/**
 * Shell completion, from the table of commands (`commands.ts`). The scripts contain all words, so that completing one does not
 * start the program.
 */
import { SettingError } from '../config/config.ts'
import { flagOf } from '../config/settings.ts'
import { COMMAND_OPTIONS, COMMAND_SWITCHES } from './arguments.ts'
import { COMMAND_NAMES, findCommand } from './commands.ts'

/** What may follow a command. `command` is empty for the program itself, and `token` for the command `token create`. */
type Completion = {
  command: string
  subcommands: string[]
  /** Options that are followed by a value, and options that are not. */
  options: string[]
  switches: string[]
}

const COMMON_SWITCHES = ['--help', '--version']

const SHELLS: Record<string, (completions: readonly Completion[]) => string> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

/**
 * The script that adds completion to a shell.
 * @throws SettingError for an unknown shell.
 */
export function completionScript(shell = ''): string {
  const format = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined
  if (!format) {
    throw new SettingError(`completion: name a shell: ${Object.keys(SHELLS).join(', ')}.`)
  }
  return format(listCompletions())
}

/** The completions of the program, of each command, and of the first words of commands with two words. */
export function listCompletions(): Completion[] {
  const found = new Map([['', createCompletion('')]])
  for (const words of COMMAND_NAMES.map((name) => name.split(' '))) {
    for (const [index, word] of words.entries()) {
      const command = words.slice(0, index + 1).join(' ')
      if (found.has(command)) continue
      found.get(words.slice(0, index).join(' '))?.subcommands.push(word)
      found.set(command, createCompletion(command))
    }
  }
  return [...found.values()]
}

function createCompletion(command: string): Completion {
  const found = findCommand(command.split(' '))
  const hasOption = (name: string) => found?.options.has(name) ?? false
  const settings = found?.settings.map(flagOf) ?? []
  const toFlag = (name: string) => `--${name}`
  return {
    command,
    subcommands: [],
    options: [...COMMAND_OPTIONS.filter(hasOption), ...settings].map(toFlag),
    switches: [...COMMAND_SWITCHES.filter(hasOption).map(toFlag), ...COMMON_SWITCHES],
  }
}

/** After an option with a value, Bash completes file names. */
function bashScript(completions: readonly Completion[]): string {
  return `# Completion of recordhub for Bash.
_recordhub() {
  local word=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} command="" index
  local subcommands="" options="" switches=""
  for ((index = 1; index < COMP_CWORD; index++)); do
    [[ \${COMP_WORDS[index]} == -* ]] && break
    command+="\${command:+ }\${COMP_WORDS[index]}"
  done
  COMPREPLY=()
  case "$command" in
${shellCases(completions)}
  esac
  [[ $previous == --* && " $options " == *" $previous "* ]] && return
  COMPREPLY=($(compgen -W "$subcommands $options $switches" -- "$word"))
}
complete -o default -F _recordhub recordhub
`
}

function zshScript(completions: readonly Completion[]): string {
  return `#compdef recordhub
# Completion of recordhub for Zsh.
_recordhub() {
  local previous=\${words[CURRENT - 1]} command="" index
  local subcommands="" options="" switches=""
  for ((index = 2; index < CURRENT; index++)); do
    [[ \${words[index]} == -* ]] && break
    command+="\${command:+ }\${words[index]}"
  done
  case "$command" in
${shellCases(completions)}
  esac
  if [[ $previous == --* && " $options " == *" $previous "* ]]; then
    _files
  else
    compadd -- \${=subcommands} \${=options} \${=switches}
  fi
}
# As a file in a folder of $fpath, or read with source.
if [[ \${funcstack[1]-} == _recordhub ]]; then
  _recordhub "$@"
else
  compdef _recordhub recordhub
fi
`
}

/** Arguments may follow a command without subcommands: `operator invite <email>`. */
function patternsOf(command: string, subcommands: readonly string[]): string[] {
  return subcommands.length > 0 ? [command] : [command, `${command} *`]
}

/** The branches of a `case`, which Bash and Zsh have in common. */
function shellCases(completions: readonly Completion[]): string {
  return completions
    .map(({ command, subcommands, options, switches }) => {
      const values = [
        `subcommands="${subcommands.join(' ')}"`,
        `options="${options.join(' ')}"`,
        `switches="${switches.join(' ')}"`,
      ]
      const [exact = '', withArguments] = patternsOf(command, subcommands)
      const pattern = withArguments ? `"${exact}"|"${command} "*` : `"${exact}"`
      return `    ${pattern}) ${values.join(' ')} ;;`
    })
    .join('\n')
}

function fishScript(completions: readonly Completion[]): string {
  const lines = completions.flatMap(({ command, subcommands, options, switches }) => {
    const patterns = patternsOf(command, subcommands).map((pattern) => `"${pattern}"`)
    const condition = `complete -c recordhub -n '__recordhub_is ${patterns.join(' ')}'`
    return [
      ...(subcommands.length > 0 ? [`${condition} -f -a '${subcommands.join(' ')}'`] : []),
      ...options.map((option) => `${condition} -r -l ${option.slice(2)}`),
      ...switches.map((option) => `${condition} -f -l ${option.slice(2)}`),
    ]
  })
  return `# Completion of recordhub for fish.
function __recordhub_is --description 'Whether the words before the first option match a pattern'
    set -l command
    for word in (commandline -opc)[2..]
        string match -q -- '-*' $word; and break
        set -a command $word
    end
    for pattern in $argv
        string match -q -- $pattern "$command"; and return 0
    end
    return 1
end
${lines.join('\n')}
`
}
