import { useTitles } from '../api/platforms.ts'

/** The title of a module of a platform. `recordType` is null where a push named none. */
export function ModuleTitle({
  platform,
  recordType,
}: {
  platform: string
  recordType: string | null
}) {
  const titles = useTitles()
  return recordType === null ? 'no module named' : titles.ofModule(platform, recordType)
}
