import type { SourceSettings } from '../settings/settings.ts'
import type { Source } from './source.ts'
import { createSqlSource } from './sql-source.ts'

/** Imports only the driver of the source. */
export async function openSource(settings: SourceSettings): Promise<Source> {
  if (settings.kind === 'folder') {
    return (await import('./files/folder-source.ts')).openFolder(settings.path)
  }
  if (settings.kind === 'sqlite') {
    return createSqlSource((await import('./sqlite/database.ts')).openSqlite(settings.path))
  }
  if (settings.kind === 'mysql') {
    return createSqlSource((await import('./mysql/database.ts')).openMysql(settings.url))
  }
  return createSqlSource((await import('./postgres/database.ts')).openPostgres(settings.url))
}
