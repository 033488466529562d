import { useTitles } from '../api/platforms.ts'

export function PlatformTitle({ platform }: { platform: string }) {
  return useTitles().ofPlatform(platform)
}

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
