import type { Requester } from '../../domain/activity/activity.ts'
import type { ActivityStore } from '../../storage/port/activity-store.ts'

/**
 * Records in the audit log that a caller makes the hub call an address, which may be any in the hub's network. Call it
 * before the first request, so that an attempt that fails is recorded, too.
 * @param call.platform_name null before the platform is registered.
 */
export async function auditProbe(
  { activity }: { activity: Pick<ActivityStore, 'appendAudit'> },
  requester: Requester,
  {
    platform_name,
    source_base_url,
    ...details
  }: { platform_name: string | null; source_base_url: string } & Record<string, unknown>,
): Promise<void> {
  const url = URL.parse(source_base_url)
  // The hub does not call it.
  if (!url) return
  await activity.appendAudit({
    ...requester,
    action: 'platform.probe',
    target: platform_name,
    // A user name, a password or a query is rejected, and may contain a key.
    details: { source_base_url: (url.origin + url.pathname).replace(/\/$/, ''), ...details },
  })
}
