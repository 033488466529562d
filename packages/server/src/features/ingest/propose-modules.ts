import type { RepairableGroup } from '@recordhub/protocol'
import { proposeModule } from '../../domain/record/repair.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'
import type { StoredGroup } from '../../storage/port/rejected-push-store.ts'

/** Adds the registered module that was probably meant to each group whose module is not registered. */
export async function withProposals(
  { platforms }: { platforms: Pick<PlatformStore, 'readPlatform'> },
  groups: StoredGroup[],
): Promise<RepairableGroup[]> {
  const unregistered = groups.filter(({ code }) => code === 'module_not_registered')
  const ids = [...new Set(unregistered.map(({ platform_id }) => platform_id))]
  const read = await Promise.all(ids.map((id) => platforms.readPlatform(id)))
  const modules = new Map(read.map((platform) => [platform?.id, platform?.modules ?? []]))
  return groups.map(({ platform_id, ...group }) => {
    const { code, record_type } = group
    const known = code === 'module_not_registered' ? (modules.get(platform_id) ?? []) : []
    // A module that the platform has is only not registered.
    const isKnown = known.some((module) => module.record_type === record_type)
    if (record_type === null || isKnown) return { ...group, proposal: null }
    const registered = known.filter(({ registered }) => registered)
    return { ...group, proposal: proposeModule(record_type, registered) }
  })
}
