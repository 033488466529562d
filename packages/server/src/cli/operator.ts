import { TOKEN_SCOPES, type TokenScope } from '@recordhub/protocol'
import { SettingError } from '../config/config.ts'
import type { Config } from '../config/settings.ts'
import { HubError } from '../errors.ts'
import { setupLink } from '../features/auth/create-operator.ts'
import { verifySecret } from '../features/maintenance/verify-secret.ts'
import {
  changeOperator,
  createToken as create,
  describeOperators,
  endSessions,
  findOperator,
  inviteByLink,
  parseRole,
  resetPassword,
} from '../features/operators/manage-operators.ts'
import { createSecretBox } from '../lib/crypto/secret-box.ts'
import type { CommandContext } from './arguments.ts'
import { findSecrets } from './backup.ts'
import { type Storage, withStorage } from './open-storage.ts'
import { promptSecret } from './program.ts'

/** The subcommands of `recordhub operator`. They work next to a running hub. */
const SUBCOMMANDS: Record<
  string,
  (storage: Storage, args: string[], context: CommandContext) => Promise<void>
> = {
  async list(storage, _args, { print }) {
    for (const line of await describeOperators(storage)) print(line)
  },

  async invite(storage, [email = ''], { config, options, print }) {
    const role = parseRole(options['role'] ?? 'viewer')
    print(await inviteByLink(storage, { email, role, site: siteOf(config) }))
  },

  async role(storage, [email = '', role], { print }) {
    await changeOperator(storage, email, { role: parseRole(role) })
    print(`${email} now has the role ${role} and has to sign in again.`)
  },

  async disable(storage, [email = ''], { print }) {
    await changeOperator(storage, email, { disabled: true })
    print(`${email} is disabled. All sessions and tokens of this operator were ended.`)
  },

  async enable(storage, [email = ''], { print }) {
    await changeOperator(storage, email, { disabled: false })
    print(`${email} is enabled.`)
  },

  async 'end-sessions'(storage, [email = ''], { print }) {
    print(`Ended sessions of ${email}: ${await endSessions(storage, email)}.`)
  },

  async 'reset-password'(storage, [email = ''], { config, switches, print }) {
    // Fails for an unknown operator before the prompt.
    await findOperator(storage, email)
    const password = await promptSecret(() => print('New password (not shown):'))
    const isRemoved = await resetPassword(storage, {
      email,
      password,
      removeSecondFactor: switches.has('remove-second-factor'),
      keepTokens: switches.has('keep-tokens'),
      publicUrl: config.HUB_PUBLIC_URL,
    })
    const secondFactor = isRemoved ? ' The second factor was removed.' : ''
    const ended = switches.has('keep-tokens') ? 'all sessions' : 'all sessions and tokens'
    print(`The password of ${email} was changed, and ${ended} were ended.${secondFactor}`)
  },
}

function siteOf({ HUB_PUBLIC_URL: url, PORT: port }: Config): string {
  return url || `http://localhost:${port}`
}

/**
 * `recordhub setup-link`: works next to a running hub that has no operator yet. Prints only the link.
 * @throws HubError `operator_exists`; SettingError without the secret of the hub, from which the link is derived.
 */
export async function printSetupLink({ config, print }: CommandContext): Promise<void> {
  await withStorage(config, async (storage) => {
    if (await storage.operators.hasOperators()) throw new HubError('operator_exists')
    const [first, ...others] = findSecrets(config)
    if (first === undefined) {
      throw new SettingError(
        'HUB_SECRET: set it to the secret of the hub, or HUB_DATA_DIR to the folder with its file recordhub.secret.',
      )
    }
    const { secret } = await verifySecret(storage, [first, ...others])
    print(setupLink(createSecretBox(secret), siteOf(config)))
  })
}

/** @throws SettingError for an unknown subcommand or a wrong number of arguments. */
export async function operatorCommand(context: CommandContext): Promise<void> {
  const [name = '', ...rest] = context.args
  const run = Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined
  const expected = name === 'list' ? 0 : name === 'role' ? 2 : 1
  if (!run || rest.length !== expected) {
    throw new SettingError(
      `There is no command "operator ${context.args.join(' ')}"; see recordhub --help.`,
    )
  }
  await withStorage(context.config, (storage) => run(storage, rest, context))
}

/** `recordhub token create`: works next to a running hub. Prints only the token. */
export async function createToken({ config, options, print }: CommandContext): Promise<void> {
  const { name, role = 'viewer', scope, 'expires-in-days': days } = options
  if (!name) throw new SettingError('token create: --name is missing; see --help.')
  if (days !== undefined && !/^[1-9]\d{0,4}$/.test(days)) {
    throw new SettingError('token create: --expires-in-days must be a whole number from 1.')
  }
  const expiresInDays = days === undefined ? null : Number(days)
  const request = { name, role: parseRole(role), scope: parseScope(scope), expiresInDays }
  print(await withStorage(config, (storage) => create(storage, request)))
}

/** @throws SettingError for an unknown scope. */
function parseScope(text: string | undefined): TokenScope | null {
  if (text === undefined) return null
  const scope = TOKEN_SCOPES.find((one) => one === text)
  if (scope) return scope
  throw new SettingError(`token create: --scope must be one of ${TOKEN_SCOPES.join(', ')}.`)
}
