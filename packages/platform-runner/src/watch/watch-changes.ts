/** Polls the source for changes and pushes them, across restarts of this process and of the hub. */

import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  createPushClient,
  type PlatformRecord,
  type Push,
  type PushClient,
} from '@recordhub/platform-kit'
import { createFileOutbox } from '@recordhub/platform-kit/file-outbox'
import type { Log } from '../log.ts'
import type { ColumnCheck } from '../platform/check-columns.ts'
import type { LoadedPlatform } from '../platform/load-platform.ts'
import type { PushSettings } from '../settings/settings.ts'
import { type ChangeReader, type Source, SourceMisconfigured } from '../sources/source.ts'
import { type WatchedModule, watchModule } from './watch-module.ts'
import { createWatermark, type Watermark } from './watermark.ts'

type ChangeWatch = { stop: () => Promise<void> }

type WatchedState = {
  module: WatchedModule
  watermark: Watermark
  poll: () => Promise<void>
  /** Sets the watermark to the newest row, so that existing rows are not pushed. */
  baseline: () => Promise<void>
}

/** @throws Error if the outbox or the progress file cannot be used. */
export async function watchChanges(
  { modules, checkColumns }: Pick<LoadedPlatform, 'modules' | 'checkColumns'>,
  source: Source,
  settings: PushSettings,
  log: Log,
): Promise<ChangeWatch> {
  const reader = source.changes
  if (!reader) throw new Error('This source cannot detect changes.')
  const client = openClient(settings, log)
  await client.ready()
  const file = await openProgressFile(join(settings.stateFolder, 'progress.json'))
  const ending = new AbortController()
  const watched = modules
    .filter((module): module is WatchedModule => module.updatedAt !== null)
    .map((module) =>
      prepare(module, { reader, client, settings, file, log, signal: ending.signal }),
    )
  const running = watched.map((one) =>
    run(one, { settings, file, log, checkColumns, signal: ending.signal }),
  )
  return {
    async stop() {
      ending.abort()
      await client.close()
      await Promise.all(running)
    },
  }
}

function openClient(settings: PushSettings, log: Log): PushClient {
  let lastReason = ''
  return createPushClient({
    hubUrl: settings.hubUrl,
    hubApiKey: settings.hubApiKey,
    outbox: createFileOutbox(join(settings.stateFolder, 'outbox.ndjson')),
    onStored(push, { effect, warnings }) {
      if (lastReason !== '') log('the hub accepts pushes again')
      lastReason = ''
      const suffix = warnings.length === 0 ? '' : `; warnings: ${warnings.join(' ')}`
      log(`pushed ${nameRecord(push)}: ${effect || 'accepted'}${suffix}`)
    },
    onRejected: (push, { status, message }) =>
      log(`the hub rejected the push of ${nameRecord(push)} (${status}): ${message}`),
    onRetry(_push, { reason }) {
      if (reason !== lastReason) log(`pushes are delayed: ${reason}`)
      lastReason = reason
    },
  })
}

/** The module and the reference of a push: `people 17`. */
function nameRecord({ recordKey }: Pick<Push, 'recordKey'>): string {
  const names: string[] = JSON.parse(recordKey)
  return names.join(' ')
}

function prepare(
  module: WatchedModule,
  deps: {
    reader: ChangeReader
    client: PushClient
    settings: PushSettings
    file: ProgressFile
    log: Log
    signal: AbortSignal
  },
): WatchedState {
  const { reader, client, settings, file, log, signal } = deps
  const watermark = createWatermark(
    file.progress[module.recordType] ?? null,
    settings.overlapSeconds * 1000,
  )
  const { recordType: record_type, name: module_name } = module

  async function push(records: PlatformRecord[]): Promise<void> {
    await Promise.all(
      records.map(async (record) => {
        try {
          await client.created({ record_type, module_name, ...record })
        } catch (error) {
          // An invalid record must not block the others.
          if (!(error instanceof TypeError)) throw error
          log(error.message)
        }
      }),
    )
    await client.idle()
  }
  const now = () => performance.now()
  return {
    module,
    watermark,
    poll: watchModule(module, { reader, watermark, push, signal, now }),
    async baseline() {
      watermark.reset(await reader.newest(module.origin, module.updatedAt))
    },
  }
}

async function run(
  { module, watermark, poll, baseline }: WatchedState,
  deps: {
    settings: PushSettings
    file: ProgressFile
    log: Log
    checkColumns: ColumnCheck
    signal: AbortSignal
  },
): Promise<void> {
  const { settings, log, checkColumns, signal } = deps
  const { progress, save } = deps.file
  const { recordType } = module
  let needsBaseline = !Object.hasOwn(progress, recordType) && !settings.pushesExisting
  let isWatching = false
  let lastReason = ''
  while (!signal.aborted) {
    try {
      await (needsBaseline ? baseline() : poll())
      needsBaseline = false
      const current = watermark.current()
      if (!Object.hasOwn(progress, recordType) || progress[recordType] !== current) {
        progress[recordType] = current
        await save()
      }
      if (!isWatching) log(`${recordType}: watching ${module.updatedAt.name}`)
      isWatching = true
      lastReason = ''
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (reason !== lastReason && !signal.aborted) log(`${recordType}: ${reason}`)
      lastReason = reason
      isWatching = false
      if (error instanceof SourceMisconfigured) await checkColumns(module)
    }
    await pause(settings.everySeconds * 1000, undefined, { signal }).catch(() => undefined)
  }
}

/** The watermark by record type; null if the module had no rows. */
type Progress = Record<string, string | null>

type ProgressFile = { progress: Progress; save: () => Promise<void> }

/**
 * The watermarks of all modules, in a file that is replaced atomically.
 * @throws Error if the file cannot be read or is invalid.
 */
async function openProgressFile(path: string): Promise<ProgressFile> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const progress = await read(path)
  return {
    progress,
    async save() {
      const file = await open(`${path}.new`, 'w', 0o600)
      try {
        await file.writeFile(`${JSON.stringify(progress, null, 2)}\n`)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(`${path}.new`, path)
    },
  }
}

async function read(path: string): Promise<Progress> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '{}'
    throw error
  })
  const value = parse(text)
  if (value === null) {
    throw new Error(`${path} is damaged. Delete it to push only the changes from now on.`)
  }
  return value
}

function parse(text: string): Progress | null {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
    const entries = Object.entries(value)
    return entries.every(([, changeTime]) => changeTime === null || typeof changeTime === 'string')
      ? Object.fromEntries(entries)
      : null
  } catch {
    return null
  }
}
