import type { NewAuditEntry } from '../../domain/activity/activity.ts'

/** A text that is encrypted with the hub's secret: a row of `secrets`, or one of the two texts of a second factor. */
export type EncryptedText = {
  of: 'secret' | 'totp secret' | 'recovery codes'
  /** The id of its row. */
  id: string
  /** The purpose that the encryption is bound to; for a second factor, the operator's id. */
  purpose: string
  ciphertext: string
}

export interface SecretStore {
  /**
   * Returns the encrypted key for the references of erased records. Saves the offered one if there is none; concurrent
   * calls return the same key. Waits for a rotation of the secret that is in progress.
   */
  ensureReferencesKey(offered: string): Promise<string>

  /** Returns every encrypted text in the order of the rows, without deleted ones. */
  listEncrypted(): Promise<EncryptedText[]>

  /**
   * Replaces all encrypted texts, ends every session, deletes everything else that was signed with the secret, and
   * writes to the audit log, in one transaction.
   * @param texts the result of `listEncrypted`, each with its new ciphertext.
   * @returns `in_use` if another process uses the database; `changed` if a text was changed, added or deleted since
   *   `listEncrypted`. Neither changes anything.
   */
  reencrypt(
    texts: { before: EncryptedText; ciphertext: string }[],
    audit: NewAuditEntry,
  ): Promise<'reencrypted' | 'changed' | 'in_use'>
}
