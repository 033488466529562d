/** The choices of selects, by title. */
import type { Platform } from '@recordhub/protocol'

export type Choice = { value: string; label: string }

/** The modules of a platform, or of all: one choice per `record_type`, which several platforms may have. */
export function moduleChoices(platforms: readonly Platform[], platform: string | null): Choice[] {
  const choices = new Map<string, Choice>()
  for (const one of platforms) {
    if (platform !== null && one.platform_name !== platform) continue
    for (const { record_type, module_name, registered } of one.modules) {
      if (choices.has(record_type)) continue
      const label = registered ? module_name : `${module_name} (not registered)`
      choices.set(record_type, { value: record_type, label })
    }
  }
  return [...choices.values()]
}

/** The choices with one for a value that is not among them, as a link may name. */
export function addUnknown(choices: Choice[], value: string | null): Choice[] {
  if (value === null || choices.some((one) => one.value === value)) return choices
  return [...choices, { value, label: value }]
}
