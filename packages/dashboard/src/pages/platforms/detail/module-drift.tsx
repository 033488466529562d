import { Select, Stack, Text } from '@mantine/core'
import type { PlatformDetails, PlatformModule } from '@recordhub/protocol'
import { useQuery } from '@tanstack/react-query'
import { callHub } from '../../../api/call-hub.ts'
import { driftQuery } from '../../../api/platforms.ts'
import { useRefreshLive } from '../../../api/queries.ts'
import { notify, useAttempt } from '../../../components/confirm.tsx'
import { formatCount } from '../../../lib/format.ts'
import { useHasRole } from '../../../lib/use-has-role.ts'
import { TEXTS } from '../../../texts.ts'

const POLICIES = [
  { value: 'accept', label: 'Accept and count' },
  { value: 'reject', label: 'Reject and save for replay' },
]

/** The drift policy of a module, and the number of records that did not match the manifest. */
export function ModuleDriftSettings({
  platform,
  module,
}: {
  platform: PlatformDetails
  module: PlatformModule
}) {
  const { record_type, module_name, drift_policy } = module
  const { isBusy, run } = useAttempt()
  const canOperate = useHasRole('operator')
  const refreshLive = useRefreshLive()
  const drift = useQuery(driftQuery(platform.id)).data?.modules.find(
    (one) => one.record_type === record_type,
  )

  function typeOf(key: string): string {
    const field = module.fields.find((one) => one.key === key)
    return field ? `; the manifest declares ${field.type}` : ''
  }

  async function change(policy: string | null): Promise<void> {
    if (policy === null || policy === drift_policy) return
    await run(async () => {
      const path = `/api/v1/platforms/${platform.id}/modules/${encodeURIComponent(record_type)}`
      await callHub(path, { method: 'PATCH', body: { drift_policy: policy } })
      await refreshLive()
      notify('The policy applies to records received from now on.')
    })
  }

  return (
    <Stack gap={6}>
      <Select
        label={`Records of ${module_name} not matching the manifest`}
        description={canOperate ? undefined : TEXTS.requiresOperatorRole}
        data={POLICIES}
        value={drift_policy}
        allowDeselect={false}
        disabled={!canOperate || isBusy}
        maw={420}
        onChange={(value) => void change(value)}
      />
      {drift?.unknown.map(({ key, count }) => (
        <Text key={key} size="sm">
          {formatCount(count, 'record')} had the field <b>{key}</b>, which is not in the manifest.
        </Text>
      ))}
      {drift?.absent.map(({ key, count }) => (
        <Text key={key} size="sm">
          {formatCount(count, 'record')} had no <b>{key}</b>, which is required.
        </Text>
      ))}
      {drift?.wrong_type.map(({ key, count }) => (
        <Text key={key} size="sm">
          {formatCount(count, 'record')} had a <b>{key}</b> of the wrong type{typeOf(key)}.
        </Text>
      ))}
    </Stack>
  )
}
