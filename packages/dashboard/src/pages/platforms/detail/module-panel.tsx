import { Button, Group, MultiSelect, Stack, Text } from '@mantine/core'
import type {
  IncompleteReason,
  ModuleCompleteness,
  ModuleRemovalPreview,
  PlatformDetails,
  PlatformModule,
} from '@recordhub/protocol'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { indexedFieldsQuery, setIndexedFields } from '../../../api/platforms.ts'
import { useRefreshLive } from '../../../api/queries.ts'
import { attempt, confirm, notify } from '../../../components/confirm.tsx'
import { PageLink } from '../../../components/page-link.tsx'
import { Time } from '../../../components/time.tsx'
import { formatCount } from '../../../lib/format.ts'
import { useHasRole } from '../../../lib/use-has-role.ts'
import { TEXTS } from '../../../texts.ts'
import { HeldCount } from '../../reverts/holds.tsx'
import { ModuleFields } from '../module-fields.tsx'
import { PullButton } from '../pull-button.tsx'
import { ModuleDigest } from './module-digest.tsx'
import { ModuleDriftSettings } from './module-drift.tsx'
import { ReplayOffer } from './replay-offer.tsx'
import { TypedConfirmation } from './typed-confirmation.tsx'

/** One module: its fields, registration, completeness and settings. */
export function ModulePanel({
  platform,
  module,
  completeness,
}: {
  platform: PlatformDetails
  module: PlatformModule
  completeness: ModuleCompleteness | undefined
}) {
  const { record_type, module_name, description, fields, removed_fields, registered } = module
  const canOperate = useHasRole('operator')
  return (
    <Stack>
      {description && <Text size="sm">{description}</Text>}
      <ReplayOffer platform={platform} module={module} />
      <ModuleFields name={module_name} fields={fields} removed={removed_fields} />
      {completeness && <ModuleCompletenessText completeness={completeness} />}
      {completeness && <ModuleDigest module={completeness} />}
      <ModuleDriftSettings platform={platform} module={module} />
      {registered && <IndexedFields platformId={platform.id} module={module} />}
      <Group gap="xs">
        {canOperate && <RegistrationButton platform={platform} module={module} />}
        {canOperate && !registered && (
          <DeleteModuleRecords platformId={platform.id} recordType={record_type} />
        )}
        {canOperate && registered && <PullButton platform={platform} full={{ record_type }} />}
        <PageLink
          to="/dashboard/records"
          search={{ platform: platform.platform_name, record_type }}
          size="sm"
        >
          {TEXTS.viewRecords}
        </PageLink>
      </Group>
    </Stack>
  )
}

function RegistrationButton({
  platform,
  module,
}: {
  platform: PlatformDetails
  module: PlatformModule
}) {
  const refreshLive = useRefreshLive()
  const { record_type, module_name, registered } = module
  const others = platform.modules
    .filter((one) => one.registered && one.record_type !== record_type)
    .map((one) => one.record_type)

  async function change(record_types: string[], message: string): Promise<void> {
    const body = { record_types }
    await callHub(`/api/v1/platforms/${platform.id}`, { method: 'PATCH', body })
    await refreshLive()
    notify(message)
  }

  if (!registered) {
    return (
      <Button
        onClick={() =>
          void attempt(() =>
            change(
              [...others, record_type],
              `${module_name} is registered. The next pull receives its existing records.`,
            ),
          )
        }
      >
        {`Register ${module_name}`}
      </Button>
    )
  }
  return (
    <Button
      variant="light"
      color="red"
      onClick={() =>
        confirm({
          title: `Unregister ${module_name}?`,
          action: 'Unregister',
          children: 'Its pushes are rejected, and it is no longer pulled. Its records are kept.',
          onConfirm: () => change(others, `${module_name} is no longer registered.`),
        })
      }
    >
      {`Unregister ${module_name}`}
    </Button>
  )
}

/** Whether the hub has all records of a module, and the reasons if not. */
function ModuleCompletenessText({ completeness }: { completeness: ModuleCompleteness }) {
  const { incomplete_reasons, verified_by, missing, accepted } = completeness
  const { last_error, last_warning } = completeness
  const differences = [
    ...(accepted > 0 ? [formatCount(accepted, 'accepted exception')] : []),
    ...(missing > 0 ? [`${formatCount(missing, 'record')} marked as missing`] : []),
    ...differenceLabels(completeness),
  ]
  return (
    <Text size="sm" component="div">
      <Text span fw={600} inherit>
        Completeness:
      </Text>{' '}
      <VerifiedAt module={completeness} />.{' '}
      {differences.length > 0 && `${differences.join(', ')}. `}
      {incomplete_reasons.length > 0 &&
        `${verified_by === 'digest' ? 'Its differences are explained' : 'The last pull could not verify it'}: ${incomplete_reasons.map(incompleteReasonLabel).join('. ')}. `}
      <HeldCount module={completeness} />
      {last_error && `The last pull failed: ${last_error}`}
      {last_warning && `The last pull succeeded, with warnings: ${last_warning}`}
    </Text>
  )
}

/**
 * When a module was verified, whether the platform has confirmed since that it is unchanged, and how many pushes are newer.
 */
function VerifiedAt({ module }: { module: ModuleCompleteness }) {
  const { verified_at, verified_by, confirmed_at, confirmed_by, pushed_since } = module
  if (verified_at === null) return 'Not read completely yet'
  // The confirmed response verified the module only if it gave no reason against it.
  const isConfirmed =
    confirmed_at !== null && confirmed_at > verified_at && module.incomplete_reasons.length === 0
  return (
    <>
      Verified <Time at={verified_at} />
      {verified_by === 'digest' && ' by digest'}
      {isConfirmed && (
        <>
          , unchanged since by {confirmed_by === 'etag' ? 'ETag' : 'Last-Modified'} at{' '}
          <Time at={confirmed_at} />
        </>
      )}
      {pushed_since !== null &&
        pushed_since > 0 &&
        `, and ${formatCount(pushed_since, 'newer push', 'newer pushes')}`}
    </>
  )
}

const INCOMPLETE_REASONS: Readonly<Record<IncompleteReason, string>> = {
  no_success: 'The platform does not report success',
  no_total: 'The platform reports no total',
  total_differs: 'The platform’s total differs from the number of records received',
  rejected: 'Records were rejected',
  missing_undecided: 'Records missing from the pull await another pull or a review',
  held: 'A revert holds values that the platform still sends',
}

function incompleteReasonLabel(reason: IncompleteReason): string {
  return INCOMPLETE_REASONS[reason]
}

/** The records that the last full pull does not explain: stored ones that it did not contain, and later pushes. */
function differenceLabels({ only_here }: Pick<ModuleCompleteness, 'only_here'>): string[] {
  return only_here ? [`${formatCount(only_here, 'record')} not in the last full pull`] : []
}

/** Deletes the records of an unregistered module. */
function DeleteModuleRecords({
  platformId,
  recordType,
}: {
  platformId: number
  recordType: string
}) {
  const path = `/api/v1/platforms/${platformId}/modules/${encodeURIComponent(recordType)}/records`
  const [preview, setPreview] = useState<ModuleRemovalPreview | null>(null)
  const refreshLive = useRefreshLive()
  const openPreview = () =>
    attempt(async () => {
      setPreview((await callHub<{ removal: ModuleRemovalPreview }>(path)).removal)
    })
  return (
    <>
      <Button variant="subtle" color="red" onClick={() => void openPreview()}>
        {TEXTS.deleteRecords}
      </Button>
      {preview && (
        <TypedConfirmation
          title={`Delete the records of ${recordType}?`}
          name={recordType}
          action={TEXTS.deleteRecords}
          onClose={() => setPreview(null)}
          onConfirm={async () => {
            await callHub(path, { method: 'DELETE', body: { record_type: recordType } })
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
function IndexedFields({ platformId, module }: { platformId: number; module: PlatformModule }) {
  const ref = { platformId, recordType: module.record_type }
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
