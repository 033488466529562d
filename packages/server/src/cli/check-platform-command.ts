/** The command check-platform, which is also a program of its own. */
import { CHECK_SETTINGS } from '../config/environment.ts'
import type { Command } from './command.ts'

export const CHECK_PLATFORM: Command = {
  summary: 'Check whether a platform works with the hub.',
  usage: '--url <base URL> [options]',
  about: 'Calls the platform as the hub does. It needs no hub and stores nothing.',
  options: {
    url: { value: '<base URL>', help: 'The base URL of the platform, without /api/hub.' },
    key: {
      value: '<key>',
      help: 'The source API key. Without it, the key is read from SOURCE_API_KEY or standard input.',
    },
    'max-records': {
      value: '<number>',
      help: 'Maximum number of records to read per module. Default: 1000000',
    },
    'max-seconds': {
      value: '<seconds>',
      help: 'Maximum duration of the check of the endpoints. Default: 900',
    },
    json: {
      help: 'Print the report as JSON. Everything else is printed to standard error.',
    },
    html: { value: '<file>', help: 'Also write the report as an HTML page.' },
    strict: { help: 'Fail on warnings, too.' },
    push: {
      help: `After the endpoints, open a receiver at --host and --port and check the pushes that the
platform sends there. Some pushes are rejected on purpose. Pushes that the receiver
accepts leave the outbox of the platform without reaching a hub: use an empty outbox.`,
    },
    for: {
      value: '<seconds>',
      help: `Maximum duration of the check of the pushes. Default: until all checks are complete, or
Ctrl-C`,
    },
    'public-url': {
      value: '<url>',
      help: 'URL at which the platform reaches the receiver, such as that of a tunnel.',
    },
  },
  notes: `Exit codes: 0 the platform conforms, 1 it has errors, 2 wrong usage or the platform cannot be reached, 130 the
check was stopped.`,
  settings: CHECK_SETTINGS,
}
