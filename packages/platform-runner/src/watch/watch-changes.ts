/** Pushes what has changed in the source, over restarts of everything. */
import { join } from 'node:path'
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
import { type ChangeReader, type Source, SourceFault } from '../sources/source.ts'
import { openProgressFile, type ProgressFile } from './progress-file.ts'
import { createSettledMarks, type SettledMarks } from './settled-marks.ts'
import { type WatchedModule, watchModule } from './watch-module.ts'

export type ChangeWatch = { stop: () => Promise<void> }

type Watched = {
  module: WatchedModule
  marks: SettledMarks
  look: () => Promise<void>
  /** Takes what is there for known. */
  skip: () => Promise<void>
}

/** @throws Error where the outbox or the progress cannot be used. */
export async function watchChanges(
  { modules, checkColumns }: Pick<LoadedPlatform, 'modules' | 'checkColumns'>,
  source: Source,
  settings: PushSettings,
  log: Log,
): Promise<ChangeWatch> {
  const reader = source.changes
  if (!reader) throw new Error('This source does not tell what has changed.')
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
  let saidWhy = ''
  return createPushClient({
    hubUrl: settings.hubUrl,
    hubApiKey: settings.hubApiKey,
    outbox: createFileOutbox(join(settings.stateFolder, 'outbox.ndjson')),
    onStored(push, { effect, warnings }) {
      if (saidWhy !== '') log('the hub accepts pushes again')
      saidWhy = ''
      const notes = warnings.length === 0 ? '' : `; warnings: ${warnings.join(' ')}`
      log(`pushed ${nameRecord(push)}: ${effect || 'accepted'}${notes}`)
    },
    onRejected: (push, { status, message }) =>
      log(`the hub rejected the push of ${nameRecord(push)} (${status}): ${message}`),
    onRetry(_push, { reason }) {
      if (reason !== saidWhy) log(`pushes wait: ${reason}`)
      saidWhy = reason
    },
  })
}

/** The record of a push as its module and reference: `people 17`. */
function nameRecord({ recordKey }: Pick<Push, 'recordKey'>): string {
  const names: string[] = JSON.parse(recordKey)
  return names.join(' ')
}

function prepare(
  module: WatchedModule,
  parts: {
    reader: ChangeReader
    client: PushClient
    settings: PushSettings
    file: ProgressFile
    log: Log
    signal: AbortSignal
  },
): Watched {
  const { reader, client, settings, file, log, signal } = parts
  const marks = createSettledMarks(
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
          // What can never be sent must not keep the rest.
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
    marks,
    look: watchModule(module, { reader, marks, push, signal, now }),
    async skip() {
      marks.settle(await reader.newest(module.origin, module.updatedAt))
    },
  }
}

async function run(
  { module, marks, look, skip }: Watched,
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
  let isNew = !Object.hasOwn(progress, recordType) && !settings.pushesExisting
  let isWatching = false
  let saidWhy = ''
  while (!signal.aborted) {
    try {
      await (isNew ? skip() : look())
      isNew = false
      const settled = marks.settled()
      if (!Object.hasOwn(progress, recordType) || progress[recordType] !== settled) {
        progress[recordType] = settled
        await save()
      }
      if (!isWatching) log(`${recordType}: watching ${module.updatedAt.name}`)
      isWatching = true
      saidWhy = ''
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error)
      if (words !== saidWhy && !signal.aborted) log(`${recordType}: ${words}`)
      saidWhy = words
      isWatching = false
      if (error instanceof SourceFault) await checkColumns(module)
    }
    await pause(settings.everySeconds * 1000, undefined, { signal }).catch(() => undefined)
  }
}
