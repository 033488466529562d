import { useModules, useTitles } from '../api/platforms.ts'

export function PlatformTitle({ platform }: { platform: string }) {
  return useTitles().ofPlatform(platform)
}

/** The title of a module. `recordType` is null if a push had none. */
export function ModuleTitle(props: { platform: string; recordType: string | null }) {
  const { platform, recordType } = props
  const module = useModules(platform).find(({ record_type }) => record_type === recordType)
  return recordType === null ? 'No module' : (module?.module_name ?? recordType)
}
