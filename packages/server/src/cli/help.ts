import { describeSettings, flagOf } from '../config.ts'

/** What `recordhub --help` prints. */
export function helpText(): string {
  const rows = describeSettings().map(({ name, default: value, help }) => {
    return `  ${name.padEnd(25)} --${flagOf(name).padEnd(22)} ${help}\n${' '.repeat(53)}Default: ${value}`
  })
  return `Recordhub gathers the records of many platforms in one place.

Usage: recordhub <command> [flags]

Commands:
  start           Run the hub.
  demo            Run a hub with two sample platforms that push and are pulled.
  token create    Make a token for a program: --name <name> --role <viewer|operator|admin>
                  [--expires-in-days <days>]. It is printed once.
  guide           Print the guide for developers of platforms:
                  [--platform <name or id>] [--language <word>].
  check-platform  Judge a platform, without a hub: --url <base URL> [--key <source API key>, else from
                  RECORDHUB_SOURCE_KEY or standard input] [--max-records 1000000] [--max-seconds 900]
                  [--json] [--html <file>] [--strict: warnings fail too].
                  --push [--for <seconds>] opens a receiver at --host and --port too, and judges what the
                  platform pushes there; some of it is refused on purpose.
                  Exit code 0: it conforms, 1: it has errors, 2: wrong usage, or it cannot be reached,
                  130: stopped.
  secret rotate   Seal everything under a new secret: HUB_SECRET, the one before being
                  HUB_SECRET_PREVIOUS, or else a new file in HUB_DATA_DIR. Stop the hub first.
  operator list   List the operators.
  operator invite <email> [--role <viewer|operator|admin>]
                  Invite an operator; the link is printed once.
  operator role <email> <viewer|operator|admin>
  operator disable <email>, operator enable <email>
  operator end-sessions <email>
  operator reset-password <email> [--remove-second-factor]
                  Set the password that is read from standard input, and end all sessions.

Settings, from flags, the environment, or a file .env in the working directory:
${rows.join('\n')}
`
}
