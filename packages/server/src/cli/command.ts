/** The form of a command in the table of commands. */
import type { SettingName } from '../config/settings.ts'

/** An option of a command. */
export type CommandOption = {
  /** What follows it, such as `<name>`; left out for a switch, which nothing follows. */
  value?: string
  /** Further lines are indented. */
  help: string
}

type Subcommand = {
  /** The arguments after its name. */
  args?: string
  help: string
  options?: Readonly<Record<string, Pick<CommandOption, 'value'>>>
}

/** A command, with its help. */
export type Command = {
  /** One line for the list of all commands. */
  summary: string
  /** The arguments after the name of the command. */
  usage: string
  /** Before the options. */
  about?: string
  options?: Readonly<Record<string, CommandOption>>
  /** With options of their own. */
  subcommands?: Readonly<Record<string, Subcommand>>
  /** After the options. */
  notes?: string
  settings: readonly SettingName[]
}
