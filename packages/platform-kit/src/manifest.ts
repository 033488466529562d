import type { PlatformDefinition } from './platform.ts'

/** What the manifest endpoint answers. */
export function manifestOf({ name, title, description = '', modules }: PlatformDefinition) {
  return {
    success: true,
    platform_name: name,
    platform_title: title,
    platform_description: description,
    modules: modules.map((module) => ({
      module_name: module.name,
      record_type: module.recordType,
      description: module.description ?? '',
      fields: module.fields.map(({ key, label = key, type = 'string', required = false }) => ({
        key,
        label,
        type,
        required,
      })),
    })),
  }
}
