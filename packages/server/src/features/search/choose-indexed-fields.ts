import type { Requester } from '../../domain/activity/activity.ts'
import { HubError } from '../../errors.ts'
import { isStorableText } from '../../lib/text/storable-text.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'
import type { IndexedFieldState, SearchIndexStore } from '../../storage/port/search-index-store.ts'

/**
 * Chooses the fields of a module that lists are sorted and filtered by with an index. They need not be in the manifest.
 * @throws HubError `not_found`; `invalid_request` for a key that cannot be stored.
 */
export async function chooseIndexedFields(
  deps: {
    searchIndex: Pick<SearchIndexStore, 'setIndexedFields'>
    platforms: Pick<PlatformStore, 'readPlatform'>
    clock: Clock
  },
  choice: { platform_id: number; record_type: string; keys: string[] },
  requester: Requester,
): Promise<IndexedFieldState[]> {
  if (!choice.keys.every(isStorableText)) {
    throw new HubError('invalid_request', {
      reason: 'a key contains U+0000 or an unpaired surrogate',
    })
  }
  const platform = await deps.platforms.readPlatform(choice.platform_id)
  if (!platform) throw new HubError('not_found', { what: 'platform' })
  const names = choice.keys.length > 0 ? choice.keys.join(', ') : 'none'
  const details = { record_type: choice.record_type, fields: choice.keys }
  const fields = await deps.searchIndex.setIndexedFields(
    { ...choice, at: deps.clock.now().toISOString() },
    {
      activity: {
        level: 'info',
        kind: 'module.indexed_fields',
        message: `Indexed fields of ${choice.record_type} at ${platform.display_title}: ${names}.`,
        actor: requester.actor,
        details,
      },
      audit: {
        ...requester,
        action: 'module.indexed_fields',
        target: platform.platform_name,
        details,
      },
    },
  )
  if (!fields) throw new HubError('not_found', { what: 'module' })
  return fields
}
