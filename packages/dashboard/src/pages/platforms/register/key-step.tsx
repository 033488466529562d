/** The last step of a registration: the hub API key, and what can be done with it. */
import { Alert, Code, Group, Loader, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import { type PlatformDetails, pushCommand } from '@recordhub/protocol'
import {
  IconAlertTriangle,
  IconBook,
  IconCircleCheck,
  IconDownload,
  IconTerminal2,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { guideQuery } from '../../../api/guide.ts'
import { snapshot } from '../../../api/live.ts'
import { platformQuery } from '../../../api/platforms.ts'
import { rejectedPushPageQuery } from '../../../api/rejected-pushes.ts'
import { CopyButton } from '../../../components/copy-button.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { LinkButton } from '../../../components/link-button.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { PageLink } from '../../../components/page-link.tsx'
import { Clock, Time } from '../../../components/time.tsx'
import { formatCount } from '../../../lib/format.ts'
import { useStore } from '../../../lib/store.ts'
import { TEXTS } from '../../../texts.ts'
import { PullButton } from '../pull-button.tsx'
import classes from './key-step.module.css'

export function KeyStep(props: {
  platformId: string
  /** Known only directly after the registration. */
  hubApiKey: string | null
  /** How many records the platform reported; null if that is unknown. */
  records: number | null
}) {
  const { platformId, hubApiKey, records } = props
  return (
    <Loaded query={useQuery(platformQuery(platformId))} skeleton={<Skeleton height={260} />}>
      {(platform) => (
        <Stack>
          <HubKey platform={platform} hubApiKey={hubApiKey} />
          <Paper withBorder component="ul" className={classes['steps'] ?? ''}>
            <GuideSteps platform={platform} hubApiKey={hubApiKey} />
            <FirstPush platform={platform} />
            <FirstPull platform={platform} records={records} />
          </Paper>
          <Group>
            <LinkButton
              to="/dashboard/platforms/$id"
              params={{ id: String(platform.id) }}
              variant="default"
            >
              Open {platform.display_title}
            </LinkButton>
            <LinkButton to="/dashboard/platforms/new" variant="subtle" color="gray" reloadDocument>
              Register another
            </LinkButton>
          </Group>
        </Stack>
      )}
    </Loaded>
  )
}

type HubKeyProps = { platform: PlatformDetails; hubApiKey: string | null }

const KEY_FRAME = { p: 'sm', bg: 'var(--sunken)', bd: '1px solid var(--line)', bdrs: 'md' } as const
/** One click selects the whole key. */
const WHOLE = { overflowWrap: 'anywhere', userSelect: 'all' } as const

function HubKey({ platform: { id, display_title, hub_api_key_hint }, hubApiKey }: HubKeyProps) {
  if (hubApiKey === null) {
    return (
      <Alert color="blue" title={`Hub API key ${hub_api_key_hint ?? ''}`}>
        The key was shown when the platform was registered. You can reveal it in the{' '}
        <PageLink
          to="/dashboard/platforms/$id"
          params={{ id: String(id) }}
          search={{ tab: 'settings' }}
          inherit
          underline="always"
        >
          settings of the platform
        </PageLink>
        . Your password is required.
      </Alert>
    )
  }
  return (
    <Paper withBorder p="md">
      <Stack gap="xs">
        <Title order={2} fz="md">
          {TEXTS.hubApiKey}{' '}
          <Text span inherit size="sm" fw={400} c="dimmed">
            for pushes from {display_title}
          </Text>
        </Title>
        <Group justify="space-between" gap="sm" {...KEY_FRAME}>
          <Code aria-label={TEXTS.hubApiKey} fz="md" bg="none" p={0} style={WHOLE}>
            {hubApiKey}
          </Code>
          <CopyButton value={hubApiKey} label={TEXTS.copyKey} text={TEXTS.copyKey} isPrimary />
        </Group>
        <Text size="xs" c="dimmed">
          Give this hub API key to the owner of {display_title} only. The platform sends it in{' '}
          <Code>X-API-KEY</Code> with every push. Later an operator can reveal it, and the audit log
          says who did.
        </Text>
      </Stack>
    </Paper>
  )
}

function Step(props: {
  icon: ReactNode
  title: string
  children: ReactNode
  actions?: ReactNode
  below?: ReactNode
  isStatus?: boolean
}) {
  const { icon, title, children, actions, below, isStatus = false } = props
  return (
    <li>
      {icon}
      <div role={isStatus ? 'status' : undefined}>
        <Text fw={600}>{title}</Text>
        <Text size="sm" c="dimmed" component="div">
          {children}
        </Text>
      </div>
      <Group gap="xs" className={classes['actions'] ?? ''}>
        {actions}
      </Group>
      {below}
    </li>
  )
}

/** The instructions to hand over, and a push with a module and fields of the platform. */
function GuideSteps({ platform: { id, display_title }, hubApiKey }: HubKeyProps) {
  const { data: guide, error, refetch } = useQuery(guideQuery(String(id)))
  if (error) {
    return (
      <li>
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      </li>
    )
  }
  const push = guide?.first_push
  const command =
    push &&
    pushCommand({
      ...{ hubUrl: push.hub_url, tunnelHeader: push.tunnel_header, data: push.record },
      hubApiKey,
    })
  return (
    <>
      <Step
        icon={<IconBook size={16} aria-hidden />}
        title="Instructions to hand over"
        actions={
          <>
            <CopyButton
              value={guide?.markdown ?? null}
              label="Copy as Markdown"
              text="Copy as Markdown"
            />
            <LinkButton
              to="/dashboard/guide"
              search={{ platform: String(id) }}
              variant="subtle"
              color="gray"
              size="xs"
            >
              Open
            </LinkButton>
          </>
        }
      >
        With the modules and fields of {display_title} filled in. They contain no key.
      </Step>
      {command && (
        <Step
          icon={<IconTerminal2 size={16} aria-hidden />}
          title="Example push"
          actions={<CopyButton value={command} label="Copy example" text="Copy example" />}
          below={
            <Code block tabIndex={0} aria-label="Example push" className={classes['below']}>
              {command}
            </Code>
          }
        >
          A record that the platform could send{hubApiKey !== null && ', with its key'}.
        </Step>
      )}
    </>
  )
}

/** Waits for the first push of a platform, and shows whether it was accepted or rejected. */
function FirstPush({ platform }: { platform: PlatformDetails }) {
  const { id, platform_name, last_push_at, hub_keys } = platform
  const rejected = useQuery(rejectedPushPageQuery({ platform: platform_name, limit: '1' }))
  const created = hub_keys.at(-1)?.created_at
  const push = rejected.data?.rejected_pushes.find((one) => one.method !== 'pull')
  if (last_push_at !== null) {
    return (
      <Step
        icon={<IconCircleCheck size={16} color="var(--green)" aria-hidden />}
        title="First push received"
        isStatus
      >
        Accepted at <Time at={last_push_at} />. The platform is connected.
      </Step>
    )
  }
  if (push) {
    return (
      <Step
        icon={<IconAlertTriangle size={16} color="var(--orange)" aria-hidden />}
        title="Push rejected"
        isStatus
        actions={
          <PageLink
            to="/dashboard/platforms/$id"
            params={{ id: String(id) }}
            search={{ tab: 'pushes' }}
            size="sm"
          >
            View rejected push
          </PageLink>
        }
      >
        {push.message}
      </Step>
    )
  }
  return (
    <Step
      icon={<Loader size={16} aria-hidden />}
      title="Waiting for the first push"
      isStatus
      actions={
        created && (
          <Text size="sm" c="dimmed">
            since <Clock at={created} />
          </Text>
        )
      }
    >
      Turns green by itself. You can leave: existing records are pulled without it.
    </Step>
  )
}

function FirstPull({ platform, records }: { platform: PlatformDetails; records: number | null }) {
  const pull = useStore(snapshot)?.pull
  const next = pull?.schedule_paused ? null : (pull?.next_run_at ?? null)
  return (
    <Step
      icon={<IconDownload size={16} aria-hidden />}
      title="First pull"
      actions={<PullButton platform={platform} />}
    >
      Reads {records === null ? 'the existing records' : formatCount(records, 'record')}
      {next !== null && (
        <>
          {' '}
          at <Clock at={next} />, or
        </>
      )}{' '}
      when you start it.
    </Step>
  )
}
