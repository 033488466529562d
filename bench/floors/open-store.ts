import { openPostgresFloor } from './postgres.ts'
import { openSqliteFloor } from './sqlite.ts'
import { ENGINE, type FloorStore } from './store.ts'

/** Opens the database of the environment, which has the tables of the hub. */
export async function openFloorStore(): Promise<FloorStore> {
  return ENGINE === 'SQLite' ? openSqliteFloor() : openPostgresFloor()
}
