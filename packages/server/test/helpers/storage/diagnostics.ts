import type { DiagnosticsStore } from '../../../src/storage/port/diagnostics-store.ts'
import type { StorageKit } from './engine.ts'

/** Reads with the diagnostics of a storage, which it opens and closes. */
export async function diagnose<Result>(
  kit: Pick<StorageKit, 'openDiagnostics'>,
  read: (diagnostics: DiagnosticsStore) => Promise<Result>,
): Promise<Result> {
  const diagnostics = await kit.openDiagnostics()
  try {
    return await read(diagnostics)
  } finally {
    await diagnostics.close()
  }
}
