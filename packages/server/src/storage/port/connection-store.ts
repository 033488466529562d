import type { HubKey } from '@recordhub/protocol'
import type { ChangeLog, SealedHubKey } from './platform-store.ts'

/** How a platform and the hub reach each other: the platform's address, and the keys of both. */
export interface ConnectionStore {
  /** The hub API keys of a platform that are valid at `at`, newest first; none of an unknown platform. */
  readHubKeys(platformId: number, at: string): Promise<HubKey[]>

  /** The newest key as it was sealed; null where there is no such platform. */
  readSealedHubKey(platformId: number): Promise<string | null>

  /**
   * Gives a platform a new hub key. Those that it has open it until `old_expires_at` and no longer than they
   * would have; from then on their pushes are refused on every node.
   * @returns false where there is no such platform.
   */
  rotateHubKey(
    rotation: { platform_id: number; hub_key: SealedHubKey; old_expires_at: string; at: string },
    log: ChangeLog,
  ): Promise<boolean>

  /**
   * Sets where a platform is and the key that it expects; the key before is destroyed. The next read of each
   * module asks for all, and scheduled pulls no longer skip the platform.
   * @param change `sealed_source_key`: null where the key stays.
   * @returns false where there is no such platform.
   */
  setSource(
    change: {
      platform_id: number
      source_base_url: string
      sealed_source_key: string | null
      at: string
    },
    log: ChangeLog,
  ): Promise<boolean>
}
