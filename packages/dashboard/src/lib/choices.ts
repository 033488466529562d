/** Choices for select inputs. */
import type { ListedModule, PlatformSummary } from '@recordhub/protocol'

export type Choice = { value: string; label: string }

export function platformChoices(platforms: readonly PlatformSummary[]): Choice[] {
  return platforms.map(({ platform_name: value, display_title: label }) => ({ value, label }))
}

/** One choice per `record_type`, which several platforms may share. */
export function moduleChoices(modules: readonly ListedModule[]): Choice[] {
  const choices = new Map<string, Choice>()
  for (const { record_type, module_name, registered } of modules) {
    if (choices.has(record_type)) continue
    const label = registered ? module_name : `${module_name} (not registered)`
    choices.set(record_type, { value: record_type, label })
  }
  return [...choices.values()]
}

/** Adds a choice for a value that is not in the list, for example from a link. */
export function addUnknown(choices: Choice[], value: string | null): Choice[] {
  if (value === null || choices.some((one) => one.value === value)) return choices
  return [...choices, { value, label: value }]
}
