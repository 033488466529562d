import { Anchor, Button, Code, Group, Paper, Text, Title } from '@mantine/core'
import type { Snapshot } from '@recordhub/protocol'
import { IconCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { backupsQuery } from '../../api/backups.ts'
import { snapshot } from '../../api/live.ts'
import { invitationsQuery, operatorsQuery } from '../../api/operators.ts'
import { aboutQuery } from '../../api/settings.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { createStore, useStore } from '../../lib/store.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { TEXTS } from '../../texts.ts'
import classes from './overview.module.css'

const HIDDEN_KEY = 'recordhub-first-steps-hidden'
const isHidden = createStore(readHidden())

function readHidden(): boolean {
  try {
    return localStorage.getItem(HIDDEN_KEY) !== null
  } catch {
    return false
  }
}

function hide(): void {
  isHidden.set(true)
  try {
    localStorage.setItem(HIDDEN_KEY, '1')
  } catch {
    // Without storage, the list is hidden until the page is reloaded.
  }
}

/** Until a platform was pulled and has pushed, unless the operator has hidden the list. */
export function useShowsFirstSteps(): boolean {
  const current = useStore(snapshot)
  const hides = useStore(isHidden)
  if (current === null || hides) return false
  const { platforms } = current
  return (
    !platforms.some(({ latest_sync_at }) => latest_sync_at !== null) ||
    !platforms.some(({ last_push_at }) => last_push_at !== null)
  )
}

type Step = {
  title: string
  text: ReactNode
  state: 'done' | 'next' | 'open' | 'later' | 'warning'
  action?: ReactNode
}

/** The steps to a hub that runs by itself. Each one is read from the hub. */
export function FirstSteps({ current }: { current: Snapshot }) {
  const isAdmin = useHasRole('admin')
  const canOperate = useHasRole('operator')
  const about = useQuery(aboutQuery())
  const backups = useQuery({ ...backupsQuery(), enabled: isAdmin })
  const operators = useQuery({ ...operatorsQuery(), enabled: isAdmin })
  const invitations = useQuery({ ...invitationsQuery(), enabled: isAdmin })
  const isLoading = [about, backups, operators, invitations].some((one) => one.isLoading)
  const { platforms } = current
  const isRegistered = platforms.length > 0
  const isPulled = platforms.some(({ latest_sync_at }) => latest_sync_at !== null)
  const hasPushed = platforms.some(({ last_push_at }) => last_push_at !== null)
  const steps: Step[] = [
    ...addressStep(about.data?.about.public_url, () => void about.refetch()),
    {
      title: TEXTS.registerAPlatform,
      text: 'You need its base URL and its source API key. The hub tests both and shows what it found before anything is saved.',
      state: isRegistered ? 'done' : 'next',
      action: canOperate && (
        <LinkButton size="xs" variant="filled" to="/dashboard/platforms/new">
          {TEXTS.registerAPlatform}
        </LinkButton>
      ),
    },
    {
      title: 'First pull',
      text:
        current.pull.next_run_at === null
          ? 'The schedule starts no pull at the moment. Start one on the page of the platform.'
          : 'The schedule starts it after you have registered a platform.',
      state: isPulled ? 'done' : isRegistered ? 'open' : 'later',
    },
    {
      title: 'First push',
      text: 'Give the hub API key to the platform owner. Turns green when a push arrives.',
      state: hasPushed ? 'done' : isRegistered ? 'open' : 'later',
    },
  ]
  if (backups.data) {
    const isOff = backups.data.schedule === null
    steps.push({
      title: 'Schedule backups',
      text: isOff
        ? 'Off. A backup a day is enough for most hubs; you can test a restore at any time.'
        : 'On. You can test a restore at any time.',
      state: isOff ? 'open' : 'done',
      action: settingsLink('backups', 'Set a schedule'),
    })
  }
  if (operators.data && invitations.data) {
    const active = operators.data.operators.filter(({ disabled_at }) => disabled_at === null)
    const isInvited = invitations.data.invitations.some(
      ({ expires_at }) => Date.parse(expires_at) > Date.now(),
    )
    steps.push({
      title: 'Invite a colleague',
      text: 'So that someone can act when you are away.',
      state: active.length > 1 || isInvited ? 'done' : 'open',
      action: settingsLink('operators', 'Invite'),
    })
  }
  return (
    <>
      <Paper withBorder mt="md" aria-busy={isLoading}>
        <ol className={classes['list']}>
          {steps.map((step, index) => (
            <StepLine key={step.title} step={step} number={index + 1} />
          ))}
        </ol>
      </Paper>
      <Group justify="space-between" gap="xs" mt="sm" c="var(--text-3)">
        <Text inherit span>
          No access to the platform yet?{' '}
          <PageLink inherit underline="always" to="/dashboard/guide">
            Send the integration guide to its owner
          </PageLink>
        </Text>
        <Anchor component="button" type="button" inherit onClick={hide}>
          Hide this list
        </Anchor>
      </Group>
    </>
  )
}

function settingsLink(tab: string, text: string) {
  return (
    <LinkButton size="xs" variant="default" to="/dashboard/settings" search={{ tab }}>
      {text}
    </LinkButton>
  )
}

/** @param publicUrl undefined until it is known. */
function addressStep(publicUrl: string | undefined, checkAgain: () => void): Step[] {
  if (publicUrl === undefined) return []
  const title = 'Give the hub a public address'
  if (publicUrl !== '') {
    const text = (
      <>
        Platforms and colleagues reach the hub at <Code>{publicUrl}</Code>.
      </>
    )
    return [{ title, text, state: 'done' }]
  }
  const setting = 'HUB_PUBLIC_URL=https://hub.example.org'
  const text = (
    <>
      The hub does not know the address at which platforms and colleagues reach it. Set the address,
      then restart the hub.
      <br />
      <span className={classes['copyLine']}>
        {setting}
        <CopyButton value={setting} label="Copy" />
      </span>
    </>
  )
  const action = (
    <Button size="xs" variant="default" onClick={checkAgain}>
      Check again
    </Button>
  )
  return [{ title, text, state: 'warning', action }]
}

function StepLine({ step, number }: { step: Step; number: number }) {
  const { title, text, state, action } = step
  return (
    <li className={classes['step']} data-state={state}>
      <span className={classes['mark']}>
        {state === 'done' ? (
          <IconCheck size={14} aria-label="Done" />
        ) : state === 'warning' ? (
          '!'
        ) : (
          number
        )}
      </span>
      <div>
        <Title order={2} fz="md">
          {title}
        </Title>
        <p>{text}</p>
      </div>
      {state !== 'done' && action && <div>{action}</div>}
    </li>
  )
}
