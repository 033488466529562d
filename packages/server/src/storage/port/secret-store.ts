import type { NewAuditEntry } from '../../domain/activity/activity.ts'

/** A text that the hub's secret encrypts: a row of `secrets`, or one of the two of a second factor. */
export type SealedText = {
  of: 'secret' | 'totp secret' | 'recovery codes'
  /** The id of its row. */
  id: string
  /** The purpose that the encryption is bound to; for a second factor, the operator's id. */
  purpose: string
  sealed: string
}

type Resealing = 'resealed' | 'changed' | 'in_use'

export interface SecretStore {
  /**
   * Returns the sealed key for the references of erased records. Saves the offered one if there is none; concurrent
   * calls return the same key. Waits for a change of the secret that is in progress.
   */
  ensureReferencesKey(offered: string): Promise<string>

  /** Returns every sealed text in the order of its row, without deleted ones. */
  listSealed(): Promise<SealedText[]>

  /**
   * Replaces all sealed texts, ends every session and deletes everything else that was signed with the secret, and
   * writes to the audit log, in one transaction.
   * @param texts the result of `listSealed`, each with its new text.
   * @returns `in_use` if another process uses the database; `changed` if a sealed text was changed, added or deleted
   *   since `listSealed`. Neither changes anything.
   */
  reseal(texts: { before: SealedText; sealed: string }[], audit: NewAuditEntry): Promise<Resealing>
}
