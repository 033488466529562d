import {
  changeOperator,
  describeOperators,
  endSessions,
  findOperator,
  inviteByLink,
  readRole,
  resetPassword,
} from '../app/manage-operators.ts'
import { type Config, SettingError } from '../config.ts'
import { promptSecret } from './prompt-secret.ts'
import { type Storage, withStorage } from './with-storage.ts'

type Parts = {
  config: Config
  options: Record<string, string>
  switches: ReadonlySet<string>
  print: (line: string) => void
}

/** What `recordhub operator …` does; each works beside a running hub. */
const VERBS: Record<string, (storage: Storage, words: string[], parts: Parts) => Promise<void>> = {
  async list(storage, _words, { print }) {
    for (const line of await describeOperators(storage)) print(line)
  },

  async invite(storage, [email = ''], { config, options, print }) {
    const role = readRole(options['role'] ?? 'viewer')
    const site = config.HUB_PUBLIC_URL || `http://localhost:${config.PORT}`
    print(await inviteByLink(storage, { email, role, site }))
  },

  async role(storage, [email = '', role], { print }) {
    await changeOperator(storage, email, { role: readRole(role) })
    print(`${email} is ${role} now, and signs in again.`)
  },

  async disable(storage, [email = ''], { print }) {
    await changeOperator(storage, email, { disabled: true })
    print(`${email} is disabled; sessions and tokens were ended.`)
  },

  async enable(storage, [email = ''], { print }) {
    await changeOperator(storage, email, { disabled: false })
    print(`${email} is enabled.`)
  },

  async 'end-sessions'(storage, [email = ''], { print }) {
    print(`Sessions of ${email} that were ended: ${await endSessions(storage, email)}.`)
  },

  async 'reset-password'(storage, [email = ''], { config, switches, print }) {
    // Before a password is asked for.
    await findOperator(storage, email)
    const password = await promptSecret(() => print('New password (it is not shown):'))
    const removeSecondFactor = switches.has('remove-second-factor')
    const publicUrl = config.HUB_PUBLIC_URL
    const asked = { email, password, removeSecondFactor, publicUrl }
    const isRemoved = await resetPassword(storage, asked)
    const factor = isRemoved ? ' The second factor was taken away.' : ''
    print(`The password of ${email} was changed, and all sessions were ended.${factor}`)
  },
}

/** @throws SettingError for a verb that does not exist. */
export async function operatorCommand(words: string[], parts: Parts): Promise<void> {
  const [verb = '', ...rest] = words
  const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined
  const takes = verb === 'list' ? 0 : verb === 'role' ? 2 : 1
  if (!run || rest.length !== takes) {
    throw new SettingError(
      `There is no command "operator ${words.join(' ')}"; see recordhub --help.`,
    )
  }
  await withStorage(parts.config, (storage) => run(storage, rest, parts))
}
