import { PasswordAgain, Setting } from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { parseSetting, SettingError } from '../../config/config.ts'
import {
  formatSetting,
  isStorable,
  SETTINGS,
  STORABLE_SETTINGS,
  type StorableSetting,
} from '../../config/settings.ts'
import { type ConfirmedAction, creatorOf, hasRole } from '../../domain/auth/caller.ts'
import { HubError, invalidMember } from '../../errors.ts'
import { callerOf } from '../../http/authorize.ts'
import { route } from '../../http/route.ts'
import type { SettingChange } from '../../storage/port/operator-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import type { HubSettings } from './hub-settings.ts'

const ACTION = 'settings.changed'
/** The longest values are lists of recipients. */
const Value = Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 20_000 })
const Values = Type.Object(
  Object.fromEntries(STORABLE_SETTINGS.map((name) => [name, Type.Optional(Value)])),
  { additionalProperties: false, minProperties: 1 },
)

/** Reads and changes the settings that no flag and no variable sets. */
export function settingsRoutes(
  deps: Pick<FeatureDeps, 'settings'> & {
    hubSettings: HubSettings
    confirmAction: (request: FastifyRequest, action: ConfirmedAction) => Promise<void>
    /** @throws HubError `own_second_factor_missing` */
    assertMayRequireSecondFactor: (operatorId: string | null) => Promise<void>
  },
) {
  const { hubSettings, confirmAction, assertMayRequireSecondFactor } = deps
  return [
    route('GET /api/v1/settings', {
      summary: 'List the settings that can be changed while the hub runs, and who set them',
      description: 'Only admins see the recipients of alerts.',
      response: { settings: Type.Array(Setting) },
      handle: async (request) => ({
        settings: (await hubSettings.list()).filter(
          ({ name }) => name !== 'HUB_ALERT_TO' || hasRole(callerOf(request), 'admin'),
        ),
      }),
    }),

    route('PATCH /api/v1/settings', {
      summary: 'Change settings on all nodes, all or none; null restores the default',
      description:
        'Values are written as in environment variables. A setting that a flag or a variable sets cannot be changed. Only an admin with a second factor can require one of everyone. A token needs the scope access.',
      body: Type.Object({ settings: Values, ...PasswordAgain }, { additionalProperties: false }),
      response: { settings: Type.Array(Setting) },
      async handle(request) {
        const { settings, password } = request.body
        const values = validate(settings, await hubSettings.list())
        if (values.HUB_REQUIRE_SECOND_FACTOR === 'on') {
          await assertMayRequireSecondFactor(creatorOf(callerOf(request)).operator_id)
        }
        const target = Object.keys(values).join(', ')
        await confirmAction(request, { action: ACTION, target, scope: 'access', password })
        const { requester } = request
        await deps.settings.changeSettings(values, requester.actor, (changes) => {
          const details = Object.fromEntries(changes.map((one) => [one.name, describe(one)]))
          const text = Object.entries(details).map(([name, change]) => `${name}: ${change}`)
          return {
            activity: {
              level: 'info',
              kind: ACTION,
              message: `Settings were changed: ${Object.keys(details).join(', ')}.`,
              actor: requester.actor,
            },
            audit: { ...requester, action: ACTION, target: text.join('; '), details },
          }
        })
        return { settings: await hubSettings.list() }
      },
    }),
  ]
}

/** @throws HubError `setting_fixed`, or `invalid_request` that names the setting. */
function validate(
  settings: Readonly<Record<string, string | null | undefined>>,
  listed: readonly Setting[],
): Partial<Record<StorableSetting, string | null>> {
  const values: Partial<Record<StorableSetting, string | null>> = {}
  for (const name of STORABLE_SETTINGS) {
    const value = settings[name]
    if (value === undefined) continue
    if (listed.find((one) => one.name === name)?.source === 'environment') {
      throw new HubError('setting_fixed', { name })
    }
    // An empty value counts as not set, as in the environment.
    values[name] = value?.trim() ? toStored(name, value.trim()) : null
  }
  return values
}

/** @returns the value in one form, so that `OFF` and `off` are the same. */
function toStored(name: StorableSetting, value: string): string {
  try {
    return formatSetting(parseSetting(name, value))
  } catch (error) {
    if (!(error instanceof SettingError)) throw error
    throw invalidMember(name, error.message.slice(`${name}: `.length))
  }
}

function describe({ name, before, after }: SettingChange): string {
  const byDefault = isStorable(name) ? `${formatSetting(SETTINGS[name].default)} (default)` : ''
  const show = (value: string | null) => value ?? byDefault
  return `${show(before)} → ${show(after)}`
}
