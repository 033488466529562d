import { useModules, useTitles } from '../api/platforms.ts'

export function PlatformTitle({ platform }: { platform: string }) {
  return useTitles().ofPlatform(platform)
}

/** The title of a module. `recordType` is null if a push had none. */
export function ModuleTitle({
  platform,
  recordType,
}: {
  platform: string
  recordType: string | null
}) {
  const module = useModules(platform).find(({ record_type }) => record_type === recordType)
  return recordType === null ? 'No module' : (module?.module_name ?? recordType)
}
