import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type BenchDatabase, createDatabase, type Engine } from '../engines.ts'
import { cpuSeconds, type ServerProcess, startServer } from '../processes.ts'

/** Wall time, and processor time of the program and of the database server. */
export type Measured = { seconds: number; cpuSeconds: number }
export type PullFloors = { first: Measured; again: Measured; index: Measured }

/** Runs the floors of a first pull, of an unchanged pull and of the text index, on a database of their own. */
export async function runPullFloors(
  engine: Engine,
  document: { url: string; records: number },
): Promise<PullFloors> {
  const database = await createDatabase(engine)
  try {
    await runProgram(database, './create-tables.ts')
    return {
      first: await runFloor(database, './first-pull.ts', document.url),
      again: await runFloor(database, './unchanged-pull.ts', document.url),
      index: await runFloor(database, './index.ts', String(document.records)),
    }
  } finally {
    await database.remove()
  }
}

/** Starts the floor of a push on a database of its own. */
export async function startPushFloor(engine: Engine) {
  const database = await createDatabase(engine)
  await runProgram(database, './create-tables.ts')
  const process: ServerProcess = await startServer('./floors/push-server.ts', [], database.env)
  return {
    process,
    cpuSeconds: () => cpuSeconds([process.pid, ...database.pids()]),
    async stop() {
      await process.stop()
      await database.remove()
    },
  }
}

async function runFloor(
  database: BenchDatabase,
  file: string,
  argument: string,
): Promise<Measured> {
  const ofServer = () => cpuSeconds(database.pids())
  const before = ofServer()
  const measured: Measured = JSON.parse(await runProgram(database, file, argument))
  return { ...measured, cpuSeconds: measured.cpuSeconds + ofServer() - before }
}

async function runProgram(database: BenchDatabase, file: string, ...args: string[]) {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const env = { ...process.env, ...database.env }
  const { stdout } = await promisify(execFile)(process.execPath, [path, ...args], { env })
  return stdout
}
