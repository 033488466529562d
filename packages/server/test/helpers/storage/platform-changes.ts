/** Single changes of a platform. */
import type { PlatformStatus } from '@recordhub/protocol'
import type { ChangeLog } from '../../../src/storage/port/platform-store.ts'
import type { Storage } from '../../../src/storage/port/storage.ts'

type Change<Values> = { platform_id: number; at: string } & Values
type Platforms = Pick<Storage['platforms'], 'changePlatform'>

export async function setPlatformStatus(
  platforms: Platforms,
  { platform_id, at, status }: Change<{ status: PlatformStatus }>,
  log: ChangeLog,
) {
  const changed = await platforms.changePlatform({ platform_id, at, status: { status, log } })
  return changed?.outcome === 'changed' ? changed.platform : null
}

export function setRegisteredModules(
  platforms: Platforms,
  { platform_id, at, record_types }: Change<{ record_types: string[] }>,
  log: ChangeLog,
) {
  return platforms.changePlatform({ platform_id, at, modules: { record_types, log } })
}

/** Returns false for an unknown platform. */
export async function setSource(
  platforms: Platforms,
  { platform_id, at, ...source }: Change<{ source_base_url: string; encrypted_source_key: string }>,
  log: ChangeLog,
) {
  return (await platforms.changePlatform({ platform_id, at, source: { ...source, log } })) !== null
}
