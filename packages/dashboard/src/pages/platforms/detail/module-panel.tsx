import { Button, Group, Stack, Text } from '@mantine/core'
import type { ModuleCompleteness, PlatformDetails, PlatformModule } from '@recordhub/protocol'
import { callHub } from '../../../api/call-hub.ts'
import { useRefreshLive } from '../../../api/queries.ts'
import { attempt, confirm, notify } from '../../../components/confirm.tsx'
import { PageLink } from '../../../components/page-link.tsx'
import { formatCount } from '../../../lib/format.ts'
import { useHasRole } from '../../../lib/use-has-role.ts'
import { HeldCount } from '../../reverts/holds.tsx'
import { ModuleFields } from '../module-fields.tsx'
import { PullButton } from '../pull-button.tsx'
import { DeleteModuleRecords } from './delete-module-records.tsx'
import { IndexedFields } from './indexed-fields.tsx'
import { differenceLabels, incompleteReasonLabel, VerifiedAt } from './module-completeness.tsx'
import { ModuleDriftSettings } from './module-drift.tsx'
import { ReplayOffer } from './replay-offer.tsx'
import { TEXTS } from './texts.tsx'

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
          void attempt(() => change([...others, record_type], TEXTS.moduleRegistered(module_name)))
        }
      >
        {TEXTS.registerModule(module_name)}
      </Button>
    )
  }
  return (
    <Button
      variant="light"
      color="red"
      onClick={() =>
        confirm({
          title: TEXTS.unregisterTitle(module_name),
          action: TEXTS.unregister,
          children: TEXTS.unregisterMessage,
          onConfirm: () => change(others, TEXTS.moduleUnregistered(module_name)),
        })
      }
    >
      {TEXTS.unregisterModule(module_name)}
    </Button>
  )
}

/** Whether the hub has all records of a module, and the reasons if not. */
function ModuleCompletenessText({ completeness }: { completeness: ModuleCompleteness }) {
  const { incomplete_reasons, missing, accepted, last_error, last_warning } = completeness
  const differences = [
    ...(accepted > 0 ? [formatCount(accepted, 'accepted exception')] : []),
    ...(missing > 0 ? [TEXTS.markedAsMissing(formatCount(missing, 'record'))] : []),
    ...differenceLabels(completeness),
  ]
  return (
    <Text size="sm" component="div">
      <Text span fw={600} inherit>
        {TEXTS.completeness}
      </Text>{' '}
      <VerifiedAt module={completeness} />.{' '}
      {differences.length > 0 && `${differences.join(', ')}. `}
      {incomplete_reasons.length > 0 &&
        TEXTS.notVerifiedBecause(incomplete_reasons.map(incompleteReasonLabel).join('. '))}
      <HeldCount module={completeness} />
      {last_error && TEXTS.lastPullFailedWith(last_error)}
      {last_warning && TEXTS.lastPullWarned(last_warning)}
    </Text>
  )
}
