import { useModules, useTitles } from '../../api/platforms.ts'
import type { Titles } from './revert-labels.ts'

/** The titles of the platforms and modules that a scope names; their names until they are loaded. */
export function useScopeTitles(): Titles {
  const { ofPlatform } = useTitles()
  const modules = useModules()
  return {
    ofPlatform,
    ofModule: (platform, recordType) =>
      modules.find(
        ({ platform_name, record_type }) =>
          record_type === recordType && (platform === null || platform === platform_name),
      )?.module_name ?? recordType,
  }
}
