import { CHECK_SETTINGS } from '../config/surroundings.ts'
import { describeSettings, flagOf, type SettingName } from '../config.ts'

/** What `recordhub --help` prints. */
export function helpText(): string {
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
${settingsText(() => true)}
`
}

/** What the program of `@recordhub/check-platform` prints for `--help`. */
export function checkPlatformHelp(): string {
  return `Checks whether a platform works with a Recordhub. It needs no hub and stores nothing.

Usage: recordhub-check-platform --url <base URL> [flags]

  --url           The base URL of the platform, without /api/hub.
  --key           The source API key. Without it, the key is read from RECORDHUB_SOURCE_KEY or standard input.
  --max-records   Maximum number of records to read per module. Default: 1000000
  --max-seconds   Maximum duration of the check. Default: 900
  --json          Print the report as JSON.
  --html <file>   Write the report as an HTML page.
  --strict        Warnings fail the check too.
  --push          Open a receiver at --host and --port, and check the pushes that the platform sends there.
                  Some of them are rejected on purpose.
  --for           End the check of the pushes after this many seconds.

Exit code 0: the platform conforms, 1: it has errors, 2: wrong usage, or the platform cannot be reached,
130: the check was stopped.

Settings, from flags or the environment:
${settingsText((name) => CHECK_SETTINGS.includes(name))}
`
}

function settingsText(isShown: (name: SettingName) => boolean): string {
  const shown = describeSettings().filter(({ name }) => isShown(name))
  const rows = shown.map(({ name, default: value, help }) => {
    return `  ${name.padEnd(25)} --${flagOf(name).padEnd(22)} ${help}\n${' '.repeat(53)}Default: ${value}`
  })
  return rows.join('\n')
}
