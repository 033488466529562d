import { Button, Code, Group, Stack, Text, Title } from '@mantine/core'
import type { RejectedPushGroup } from '@recordhub/protocol'
import { callHub } from '../../../api/call-hub.ts'
import { useTitles } from '../../../api/platforms.ts'
import { useRefreshRejected } from '../../../api/rejected-pushes.ts'
import { attempt } from '../../../components/confirm.tsx'
import { AcceptButton } from '../../../components/group-actions.tsx'
import { Below, columnsFor } from '../../../components/list-table/columns.tsx'
import { ListTable } from '../../../components/list-table/list-table.tsx'
import { ModuleTitle } from '../../../components/module-title.tsx'
import { OperatorName } from '../../../components/operator-name.tsx'
import { PlatformLink } from '../../../components/platform-link.tsx'
import { Time } from '../../../components/time.tsx'
import { useUrlState } from '../../../lib/url-state.ts'
import { useHasRole } from '../../../lib/use-has-role.ts'
import { TEXTS } from '../../../texts.ts'

const column = columnsFor<RejectedPushGroup>()

/** Rejected pushes that are not replayed, grouped by cause. A selected group filters the list below, for bulk replay or dismissal. */
export function CauseTable({ groups }: { groups: RejectedPushGroup[] }) {
  const [state, change] = useUrlState()
  const isChosen = ({ cause, platform_name }: RejectedPushGroup) =>
    state['cause'] === cause && state['platform'] === platform_name
  const choose = (group: RejectedPushGroup) => {
    const { platform_name, record_type, code, cause } = group
    const chosen = { platform: platform_name, record_type, code, cause }
    const none = { record_type: null, code: null, cause: null }
    change({
      ...(isChosen(group) ? none : chosen),
      cursor: null,
      state: null,
      pull: null,
      since: null,
    })
  }
  return (
    <section aria-labelledby="rejected-causes">
      <Title order={2} fz="h4" mb="xs" id="rejected-causes">
        {TEXTS.groupedByCause}
      </Title>
      <ListTable
        label={TEXTS.groupedByCause}
        rows={groups}
        idOf={(group) => `${group.platform_name} ${group.cause}`}
        isCurrent={isChosen}
        columns={[
          column.of(TEXTS.cause, (group) => (
            <Stack gap={2} align="flex-start">
              <Text size="sm">{group.message}</Text>
              <Code fz="xs">{group.code}</Code>
              <Acceptance group={group} />
            </Stack>
          )),
          column.of(
            TEXTS.platform,
            ({ platform_name, record_type }) => (
              <>
                <PlatformLink name={platform_name} />
                <Below>
                  <ModuleTitle platform={platform_name} recordType={record_type} />
                </Below>
              </>
            ),
            { width: 170 },
          ),
          column.number(TEXTS.notReplayed, ({ rejected_pushes }) => rejected_pushes, {
            width: 120,
          }),
          column.number('Rejections', ({ count }) => count, { from: 'desktop', phone: 'none' }),
          column.time('Last rejection', ({ last_at }) => last_at, { from: 'desktop' }),
          column.actions(
            'Select',
            (group) => (
              <ChooseButton
                group={group}
                isChosen={isChosen(group)}
                onChoose={() => choose(group)}
              />
            ),
            { width: 168 },
          ),
        ]}
      />
    </section>
  )
}

/** Whether an operator has accepted the records as exceptions, and the button for it. */
function Acceptance({ group }: { group: RejectedPushGroup }) {
  const refresh = useRefreshRejected()
  const canOperate = useHasRole('operator')
  const { platform_name: platform, cause, digest, accepted_at, accepted_by } = group
  if (digest === null) return null
  const reopen = async () => {
    const body = { platform, cause }
    await callHub('/api/v1/rejected-pushes/groups/reopen', { method: 'POST', body })
    await refresh()
  }
  if (accepted_at !== null) {
    return (
      <Group gap="xs">
        <Text size="xs" c="dimmed">
          Accepted as exceptions by <OperatorName by={accepted_by} />, <Time at={accepted_at} />,
          until they change
        </Text>
        {canOperate && (
          <Button size="compact-xs" variant="default" onClick={() => void attempt(reopen)}>
            Open again
          </Button>
        )}
      </Group>
    )
  }
  return <AcceptButton group={group} label="Accept as exceptions" size="compact-xs" />
}

function ChooseButton(props: {
  group: RejectedPushGroup
  isChosen: boolean
  onChoose: () => void
}) {
  const { group, isChosen, onChoose } = props
  const titles = useTitles()
  return (
    <Button
      size="compact-xs"
      variant={isChosen ? 'filled' : 'default'}
      aria-pressed={isChosen}
      aria-label={`${isChosen ? TEXTS.selected : TEXTS.showOnlyThese}: ${group.message} (${titles.ofPlatform(group.platform_name)})`}
      onClick={onChoose}
    >
      {isChosen ? TEXTS.selected : TEXTS.showOnlyThese}
    </Button>
  )
}
