/** The table of commands: what the help says, what the command line accepts, and what a shell completes. */
import { GUIDE_LANGUAGES } from '@recordhub/protocol/constants'
import { flagOf, SETTING_NAMES, type SettingName } from '../config/settings.ts'
import { CHECK_PLATFORM } from './check-platform-command.ts'
import type { Command } from './command.ts'

const STORAGE_SETTINGS = [
  'DATABASE_URL',
  'HUB_DATA_DIR',
  'HUB_TIME_ZONE',
] as const satisfies SettingName[]

/** Of the demo, which has a data folder and an operator of its own. */
const SET_BY_DEMO: ReadonlySet<SettingName> = new Set([
  'DATABASE_URL',
  'HUB_DATA_DIR',
  'HUB_ADMIN_EMAIL',
  'HUB_ADMIN_NAME',
  'HUB_ADMIN_PASSWORD',
  'HUB_PULL_SCHEDULE',
])

const PLATFORM_VALUE = '<name or id>'

/** Every command, by its name. The command line accepts exactly these options and settings. */
export const COMMANDS: Record<string, Command> = {
  start: {
    summary: 'Run the hub.',
    usage: '[settings]',
    about: 'Runs until SIGINT or SIGTERM, and logs to standard output.',
    settings: SETTING_NAMES,
  },
  demo: {
    summary: 'Run a hub with three sample platforms.',
    usage: '[settings]',
    about:
      'The platforms push records, and the hub pulls them, with 24 hours of made-up history. Runs until SIGINT or SIGTERM, then deletes its data.',
    settings: SETTING_NAMES.filter((name) => !SET_BY_DEMO.has(name)),
  },
  'token create': {
    summary: 'Create an API token for a program.',
    usage: '--name <name> [options]',
    about: 'The token is printed once.',
    options: {
      name: { value: '<name>', help: 'The name of the token.' },
      role: { value: '<role>', help: 'viewer, operator or admin. Default: viewer' },
      scope: {
        value: '<scope>',
        help: `Restrict the token. alerts: reading alerts, such as for a feed reader. hub_keys: revealing,
rotating and ending hub API keys. access: tokens, invitations, operators and settings. reverts:
planning, starting and cancelling reverts. Default: everything else that the role allows`,
      },
      'expires-in-days': { value: '<days>', help: 'Validity of the token. Default: unlimited' },
    },
    settings: STORAGE_SETTINGS,
  },
  'setup-link': {
    summary: 'Print the link that creates the first operator.',
    usage: '[settings]',
    about: `Only while the hub has no operator. It is the link that the hub prints at each start, so it must have started once.
Without HUB_PUBLIC_URL, the link leads to this machine.`,
    settings: ['HUB_PUBLIC_URL', 'PORT', 'HUB_SECRET', 'HUB_SECRET_PREVIOUS', ...STORAGE_SETTINGS],
  },
  alerts: {
    summary: 'List or watch the open alerts.',
    usage: '[options]',
    about: 'Reads the database of the hub, which does not have to run.',
    options: {
      json: { help: 'Print {"alerts": [...]} in one line, then one line per change.' },
      watch: { help: 'Also print each change until Ctrl-C.' },
    },
    notes: `Exit codes: 0 no alert is open, 1 alerts are open (with --watch: at the end), 2 the alerts could not be read, or wrong
usage.`,
    settings: STORAGE_SETTINGS,
  },
  guide: {
    summary: 'Print the integration guide for developers of platforms.',
    usage: '[options]',
    about: 'Prints Markdown to standard output. The hub does not have to run.',
    options: {
      platform: {
        value: PLATFORM_VALUE,
        help: 'Print the guide for this registered platform, with its modules. Requires the database.',
      },
      language: {
        value: '<language>',
        help: `Print the examples in this language, instead of curl: ${Object.keys(GUIDE_LANGUAGES).join(', ')}.`,
      },
    },
    notes: 'The guide contains HUB_PUBLIC_URL as the URL of the hub.',
    settings: [
      'HUB_PUBLIC_URL',
      'HOST',
      'PORT',
      'HUB_PLATFORM_PATH',
      'HUB_TUNNEL_HEADER',
      ...STORAGE_SETTINGS,
    ],
  },
  'check-platform': CHECK_PLATFORM,
  'secret rotate': {
    summary: 'Encrypt all stored secrets with a new hub secret.',
    usage: '[settings]',
    about: `Stop the hub first. HUB_SECRET is the new secret, and HUB_SECRET_PREVIOUS the current one. Without them, the command
replaces the secret file in HUB_DATA_DIR.`,
    settings: ['HUB_SECRET', 'HUB_SECRET_PREVIOUS', ...STORAGE_SETTINGS],
  },
  pull: {
    summary: 'Set how the next pull reads: everything again, or by digest.',
    usage: '--mode <mode> [options]',
    about: `Works with or without a running hub, and starts no pull. The next pull reads the modules in this mode, unless it is
requested with another one; after a failure, the one after it does.`,
    options: {
      mode: {
        value: '<mode>',
        help: `full: read all records, without the ETag or Last-Modified of the last responses.
digest: compare the digest at once, also if it is not due.
auto: take the other two back.`,
      },
      platform: {
        value: PLATFORM_VALUE,
        help: 'Only the modules of this platform. Default: all platforms',
      },
      module: { value: '<record type>', help: 'Only this module of the platform.' },
    },
    settings: STORAGE_SETTINGS,
  },
  revert: {
    summary: 'Take back a pull, the pushes of a period, or a change of a record.',
    usage: '<subcommand>',
    about: `Works next to a running hub, which does the work of a started revert; otherwise the next start does it. A scope is one of:
--pull, with --platform and --module for a part of it; --platform with --from and --to; --record with --change; --revert.`,
    options: {
      pull: { value: '<number>', help: 'What this pull did.' },
      module: { value: '<record type>', help: 'Only this module of the pull.' },
      platform: { value: PLATFORM_VALUE, help: 'Only this platform, or its pushes.' },
      from: { value: '<time>', help: 'Pushes that were written at this time or later (RFC 3339).' },
      to: { value: '<time>', help: 'Pushes that were written before this time.' },
      record: { value: '<record_id>', help: 'Return this record to a version.' },
      change: {
        value: '<change_seq>',
        help: 'The last change in its history that is kept; 0 to keep none, as the record was received.',
      },
      revert: { value: '<number>', help: 'Undo this revert.' },
      reason: { value: '<text>', help: 'Required for a plan. Saved in the audit log.' },
      outcome: {
        value: '<outcome>',
        help: 'For show: list the records that are reverted, kept or impossible.',
      },
      json: { help: 'Print JSON, one line for each revert or record.' },
    },
    subcommands: {
      plan: { help: 'Make a plan, which changes nothing, and print its number and counts.' },
      show: { args: '[<number>]', help: 'List the reverts, or print one of them.' },
      start: { args: '<number>', help: 'Start a plan.' },
      cancel: { args: '<number>', help: 'Cancel a revert that was started.' },
    },
    settings: STORAGE_SETTINGS,
  },
  'search rebuild': {
    summary: 'Build the search index again from all records.',
    usage: '[settings]',
    about: `The index repairs itself, so this is only needed if searches do not find records that the hub has. A running hub begins
at once, otherwise the next start does. Until a record is indexed again, searches may not find it.`,
    settings: STORAGE_SETTINGS,
  },
  'sql-views': {
    summary: 'Print SQL statements that create a view of the records of each module.',
    usage: '[options]',
    about: `The views exist for the connection that runs the statements, such as: sqlite3 -init <file>. See docs/sql-access.md.
On PostgreSQL, the hub also keeps the same views in the schema recordhub_views.`,
    options: {
      platform: {
        value: PLATFORM_VALUE,
        help: 'Only the modules of this platform. Default: all platforms',
      },
    },
    settings: STORAGE_SETTINGS,
  },
  doctor: {
    summary: 'Check the hub and its database, and repair them.',
    usage: '[options]',
    about:
      'Works while a hub runs, and on a damaged database. docs/doctor.md describes the checks.',
    options: {
      quick: { help: 'Skip the checks that read the whole database.' },
      fix: {
        help: `Repair what can safely be repaired: counters, leases, an abandoned pull, the search index,
and the permissions of files. Prints each change.`,
      },
      json: {
        help: 'Print the report as JSON. Everything else is printed to standard error.',
      },
      audit: {
        value: '<file>',
        help: `After a restore: an export of the audit log that is newer than the backup. Lists the reverts that
the backup does not have, with the commands that repeat them.`,
      },
      timeout: {
        value: '<seconds>',
        help: 'Time after which no further check begins. Default: 3600',
      },
    },
    notes:
      'Exit codes: 0 healthy, 1 problems found, 2 wrong usage or the database could not be opened.',
    settings: SETTING_NAMES,
  },
  backup: {
    summary: 'Write a verified backup of the database.',
    usage: '[options]',
    about: `Works with or without a running hub, which continues to store pushes. The backup is one file. It does not contain the
secret of the hub (HUB_SECRET, or recordhub.secret in HUB_DATA_DIR), which a restore needs.`,
    options: {
      out: {
        value: '<file>',
        help: 'The backup. Default: a file named by the time, in HUB_BACKUP_DIR',
      },
      encrypt: {
        help: `Encrypt the backup with a passphrase, read from standard input unless the variable
RECORDHUB_BACKUP_PASSPHRASE or HUB_BACKUP_PASSPHRASE_FILE is set, which encrypt it, too.`,
      },
    },
    settings: [
      'HUB_BACKUP_DIR',
      'HUB_BACKUP_PASSPHRASE_FILE',
      'HUB_SECRET',
      'HUB_SECRET_PREVIOUS',
      ...STORAGE_SETTINGS,
    ],
  },
  restore: {
    summary: 'Restore a backup.',
    usage: '<file> [options]',
    about: `Stop every process of the hub first. Checks the whole backup, and that the configured secret decrypts it, before anything
is changed. The replaced data is kept. Records that were erased after the backup are erased again.`,
    options: {
      force: { help: 'Replace existing data.' },
      'check-only': {
        help: 'Only check the backup, and print what it contains and which secret it needs.',
      },
    },
    notes: `The passphrase of an encrypted backup is read from RECORDHUB_BACKUP_PASSPHRASE, HUB_BACKUP_PASSPHRASE_FILE or standard
input.`,
    settings: [
      'HUB_BACKUP_PASSPHRASE_FILE',
      'HUB_SECRET',
      'HUB_SECRET_PREVIOUS',
      ...STORAGE_SETTINGS,
    ],
  },
  rollback: {
    summary: 'State what a rollback to an earlier version would require.',
    usage: '[settings]',
    about:
      'Lists the backups with their versions, what would be lost with each of them, and the commands to run. Changes nothing.',
    notes: 'Exit codes: 0 the database was read, 1 it cannot be read, 2 wrong usage.',
    settings: ['HUB_BACKUP_DIR', ...STORAGE_SETTINGS],
  },
  operator: {
    summary: 'List, invite and change operators.',
    usage: '<subcommand>',
    subcommands: {
      list: { help: 'List the operators.' },
      invite: {
        args: '<email>',
        options: { role: { value: '<role>' } },
        help: `Invite an operator and print the link, which works once. Roles: viewer (default),
operator, admin.`,
      },
      role: { args: '<email> <role>', help: 'Change the role of an operator.' },
      disable: {
        args: '<email>',
        help: 'Disable an operator, which ends all sessions and tokens of this operator.',
      },
      enable: { args: '<email>', help: 'Enable an operator.' },
      'end-sessions': { args: '<email>', help: 'End all sessions of an operator.' },
      'reset-password': {
        args: '<email>',
        options: { 'remove-second-factor': {}, 'keep-tokens': {} },
        help: 'Set a new password, read from standard input, end all sessions and revoke all tokens.',
      },
    },
    settings: ['HUB_PUBLIC_URL', 'PORT', ...STORAGE_SETTINGS],
  },
  completion: {
    summary: 'Print a script that completes commands and options in a shell.',
    usage: '<shell>',
    subcommands: {
      bash: { help: 'Add to ~/.bashrc: source <(recordhub completion bash)' },
      zsh: { help: 'Add to ~/.zshrc, after compinit: source <(recordhub completion zsh)' },
      fish: {
        help: 'Run: recordhub completion fish > ~/.config/fish/completions/recordhub.fish',
      },
    },
    settings: [],
  },
}

/** Every command, each followed by its subcommands. */
export const COMMAND_NAMES: readonly string[] = Object.entries(COMMANDS).flatMap(
  ([name, { subcommands = {} }]) => [
    name,
    ...Object.keys(subcommands).map((word) => `${name} ${word}`),
  ],
)

const isSettingFlag = (option: string) => SETTING_NAMES.some((name) => flagOf(name) === option)

/** The options of all commands, without flags of settings: those that a value follows, and those that nothing follows. */
export function listOptions(): { options: string[]; switches: string[] } {
  const all = Object.values(COMMANDS).flatMap(({ options = {}, subcommands = {} }) => [
    ...Object.entries(options),
    ...Object.values(subcommands).flatMap((one) => Object.entries(one.options ?? {})),
  ])
  const namesOf = (withValue: boolean) => [
    ...new Set(
      all
        .filter(([name, { value }]) => (value !== undefined) === withValue && !isSettingFlag(name))
        .map(([name]) => name),
    ),
  ]
  return { options: namesOf(true), switches: namesOf(false) }
}

/** The command of positional arguments, with its subcommand if it has one; null for an unknown command. */
export function findCommand(
  positionals: readonly string[],
): { name: string; options: ReadonlySet<string>; settings: readonly SettingName[] } | null {
  const found = Object.entries(COMMANDS).find(([name]) => {
    const words = name.split(' ')
    return words.every((word, index) => word === positionals[index])
  })
  if (!found) return null
  const [name, { options = {}, subcommands = {}, settings }] = found
  const word = positionals[name.split(' ').length] ?? ''
  const subcommand = Object.hasOwn(subcommands, word) ? subcommands[word] : undefined
  return {
    name: subcommand ? `${name} ${word}` : name,
    options: new Set(Object.keys({ ...options, ...subcommand?.options })),
    settings,
  }
}
