import { Select, Stack, Text } from '@mantine/core'
import type { PlatformDetails, PlatformModule } from '@recordhub/protocol'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { driftQuery } from '../../../api/platforms.ts'
import { useRefreshLive } from '../../../api/queries.ts'
import { attempt, tell } from '../../../components/confirm.tsx'
import { formatCount } from '../../../lib/format.ts'
import { useMay } from '../use-may.ts'

const POLICIES = [
  { value: 'accept', label: 'Store them, and count what differs' },
  { value: 'reject', label: 'Refuse them, and keep them to be replayed' },
]

/** What becomes of records that do not go with the manifest, and how many did not. */
export function ModuleDriftSettings({
  platform,
  module,
}: {
  platform: PlatformDetails
  module: PlatformModule
}) {
  const { record_type, module_name, drift_policy } = module
  const [isBusy, setIsBusy] = useState(false)
  const mayOperate = useMay('operator')
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
    setIsBusy(true)
    await attempt(async () => {
      const path = `/api/v1/platforms/${platform.id}/modules/${encodeURIComponent(record_type)}`
      await callHub(path, { method: 'PATCH', body: { drift_policy: policy } })
      await refreshLive()
      tell('This holds for what is new or changed from now on.')
    })
    setIsBusy(false)
  }

  return (
    <Stack gap={6}>
      <Select
        label={`Records of ${module_name} that do not go with the manifest`}
        description={mayOperate ? undefined : 'To change this takes the role operator'}
        data={POLICIES}
        value={drift_policy}
        allowDeselect={false}
        disabled={!mayOperate || isBusy}
        maw={420}
        onChange={(value) => void change(value)}
      />
      {drift?.unknown.map(({ key, count }) => (
        <Text key={key} size="sm">
          {formatCount(count, 'record')} had <b>{key}</b>, which the manifest does not name.
        </Text>
      ))}
      {drift?.absent.map(({ key, count }) => (
        <Text key={key} size="sm">
          {formatCount(count, 'record')} had no <b>{key}</b>, which the manifest requires.
        </Text>
      ))}
      {drift?.wrong_type.map(({ key, count }) => (
        <Text key={key} size="sm">
          {formatCount(count, 'record')} had a value of a wrong type for <b>{key}</b>
          {typeOf(key)}.
        </Text>
      ))}
    </Stack>
  )
}
