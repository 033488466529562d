import type { HubKey } from '@recordhub/protocol'
import type { ChangeLog, StoredHubKey } from './platform-store.ts'

/** The connection between a platform and the hub: the platform's address, and the keys of both. */
export interface ConnectionStore {
  /** Returns the hub API keys of a platform that are valid at `at`, newest first; none for an unknown platform. */
  readHubKeys(platformId: number, at: string): Promise<HubKey[]>

  /** Returns the newest hub API key of a platform, encrypted; null for an unknown platform. */
  readEncryptedHubKey(platformId: number): Promise<string | null>

  /**
   * Saves a new hub key of a platform. Its existing keys expire at `old_expires_at`, or earlier if they already have an
   * earlier expiry; from then on, every node rejects them.
   * @returns false for an unknown platform.
   */
  rotateHubKey(
    rotation: { platform_id: number; hub_key: StoredHubKey; old_expires_at: string; at: string },
    log: ChangeLog,
  ): Promise<boolean>

  /**
   * Stores until when the certificate is valid that the platforms at `origin` presented at `read_at`, instead of the
   * previous one. Writes nothing for a platform whose certificate is unchanged and was read within the last hour.
   * `changePlatform` deletes it if the address changes.
   */
  recordCertificate(certificate: {
    origin: string
    expires_at: string
    read_at: string
  }): Promise<void>
}
