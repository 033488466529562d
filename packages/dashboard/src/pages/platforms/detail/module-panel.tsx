import { Button, Group, MultiSelect, Select, Stack, Text } from '@mantine/core'
import type {
  ModuleCompleteness,
  ModuleRemovalPreview,
  PlatformDetails,
  PlatformModule,
} from '@recordhub/protocol'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { driftQuery, indexedFieldsQuery, setIndexedFields } from '../../../api/platforms.ts'
import { useRefreshLive } from '../../../api/queries.ts'
import { attempt, confirm, notify, useAttempt } from '../../../components/confirm.tsx'
import { PageLink } from '../../../components/page-link.tsx'
import { TypedConfirmation } from '../../../components/typed-confirmation.tsx'
import { formatCount } from '../../../lib/format.ts'
import { useHasRole } from '../../../lib/use-has-role.ts'
import { TEXTS } from '../../../texts.ts'
import { ModuleFields } from '../module-fields.tsx'
import { PullButton } from '../pull-button.tsx'
import { ModuleCompletenessText, ModuleDigest } from './module-completeness.tsx'
import { ReplayOffer } from './replay-offer.tsx'

type Props = { platform: PlatformDetails; module: PlatformModule }

/** One module: its fields, registration, completeness and settings. */
export function ModulePanel(props: Props & { completeness: ModuleCompleteness | undefined }) {
  const { platform, module, completeness } = props
  const { record_type, module_name, description, fields, removed_fields, registered } = module
  const canOperate = useHasRole('operator')
  return (
    <Stack>
      {description && <Text size="sm">{description}</Text>}
      <ReplayOffer platform={platform} module={module} />
      <ModuleFields name={module_name} fields={fields} removed={removed_fields} />
      {completeness && <ModuleCompletenessText module={completeness} />}
      {completeness && <ModuleDigest module={completeness} />}
      <DriftSettings platform={platform} module={module} />
      {registered && <IndexedFields platform={platform} module={module} />}
      <Group gap="xs">
        {canOperate && !registered && <RegistrationButton platform={platform} module={module} />}
        {canOperate && registered && <PullButton platform={platform} full={{ record_type }} />}
        <PageLink
          to="/dashboard/records"
          search={{ platform: platform.platform_name, record_type }}
          size="sm"
        >
          {TEXTS.viewRecords}
        </PageLink>
        {canOperate && registered && <RegistrationButton platform={platform} module={module} />}
        {canOperate && !registered && <DeleteRecords platform={platform} module={module} />}
      </Group>
    </Stack>
  )
}

function RegistrationButton({ platform, module }: Props) {
  const refreshLive = useRefreshLive()
  const { record_type, module_name, registered } = module
  const others = platform.modules
    .filter((one) => one.registered && one.record_type !== record_type)
    .map((one) => one.record_type)

  async function change(record_types: string[], message: string): Promise<void> {
    const body = { record_types }
    await callHub(`/api/v1/platforms/${platform.id}`, { method: 'PATCH', body })
    await refreshLive()
    notify(`${module_name} is ${message}.`)
  }
  const register = () =>
    attempt(() =>
      change([...others, record_type], 'registered. The next pull receives its existing records'),
    )
  const unregister = () =>
    confirm({
      title: `Unregister ${module_name}?`,
      action: 'Unregister',
      children: 'Its pushes are rejected, and it is no longer pulled. Its records are kept.',
      onConfirm: () => change(others, 'no longer registered'),
    })
  return registered ? (
    <Button variant="subtle" color="red" ml="auto" onClick={unregister}>
      Unregister {module_name}
    </Button>
  ) : (
    <Button onClick={() => void register()}>Register {module_name}</Button>
  )
}

const POLICIES = [
  { value: 'accept', label: 'Accept and count' },
  { value: 'reject', label: 'Reject and save for replay' },
]

/** The drift policy of a module, and the number of records that did not match the manifest. */
function DriftSettings({ platform, module }: Props) {
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
      const body = { drift_policy: policy }
      await callHub(modulePath(platform, record_type), { method: 'PATCH', body })
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

function modulePath({ id }: PlatformDetails, recordType: string): string {
  return `/api/v1/platforms/${id}/modules/${encodeURIComponent(recordType)}`
}

/** Deletes the records of an unregistered module. */
function DeleteRecords({ platform, module: { record_type } }: Props) {
  const path = `${modulePath(platform, record_type)}/records`
  const [preview, setPreview] = useState<ModuleRemovalPreview | null>(null)
  const refreshLive = useRefreshLive()
  const openPreview = () =>
    attempt(async () => {
      setPreview((await callHub<{ removal: ModuleRemovalPreview }>(path)).removal)
    })
  return (
    <>
      <Button variant="subtle" color="red" ml="auto" onClick={() => void openPreview()}>
        {TEXTS.deleteRecords}
      </Button>
      {preview && (
        <TypedConfirmation
          title={`Delete the records of ${record_type}?`}
          name={record_type}
          action={TEXTS.deleteRecords}
          onClose={() => setPreview(null)}
          onConfirm={async () => {
            await callHub(path, { method: 'DELETE', body: { record_type } })
            notify('The records are being deleted.')
            await refreshLive()
          }}
        >
          <Text size="sm">{`This deletes ${formatCount(preview.records, 'record')} with their history. They return only if the platform still has them and the module is registered again.`}</Text>
        </TypedConfirmation>
      )}
    </>
  )
}

const MAX_FIELDS = 5

/** The indexed fields of a module, which make sorting and filtering fast. */
function IndexedFields({ platform, module }: Props) {
  const ref = { platformId: platform.id, recordType: module.record_type }
  const client = useQueryClient()
  const canOperate = useHasRole('operator')
  const indexed = useQuery(indexedFieldsQuery(ref))
  const fields = indexed.data?.fields ?? []
  const known = new Map(module.fields.map((field) => [field.key, field.label]))
  for (const { key } of fields) if (!known.has(key)) known.set(key, key)
  const pending = fields.filter((field) => !field.is_built).length
  const change = (keys: string[]) => attempt(() => setIndexedFields(client, ref, keys))
  return (
    <MultiSelect
      label={`Indexed fields of ${module.module_name}`}
      description={
        !canOperate
          ? TEXTS.requiresOperatorRole
          : pending > 0
            ? 'Sorting and filtering by these fields is fast. The index is being built.'
            : `Sorting and filtering by these fields is fast. At most ${MAX_FIELDS} fields.`
      }
      data={[...known].map(([value, label]) => ({ value, label }))}
      value={fields.map((field) => field.key)}
      maxValues={MAX_FIELDS}
      disabled={!canOperate || indexed.isPending}
      placeholder={fields.length === 0 ? TEXTS.none : undefined}
      searchable
      hidePickedOptions
      maw={420}
      onChange={(keys) => void change(keys)}
    />
  )
}
