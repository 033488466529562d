import { Box, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { hasRole, type Role, session } from '../../api/session.ts'
import { Dot } from '../../components/dot.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { PageSkeleton } from '../../components/page-skeleton.tsx'
import { useStore } from '../../lib/store.ts'
import { useUrlState } from '../../lib/url-state.ts'
import { TEXTS } from '../../texts.ts'
import { inboxQuery } from '../inbox/inbox-query.ts'
import { AccountSettings } from './account.tsx'
import { BackupSettings } from './backups.tsx'
import {
  MailSettings,
  RetentionSettings,
  ScheduleSettings,
  SystemSettings,
} from './hub-settings.tsx'
import { OperatorSettings } from './operators.tsx'
import { SecuritySettings } from './security.tsx'
import classes from './settings.module.css'
import { SingleSignOnSettings } from './single-sign-on.tsx'
import { TokenSettings } from './tokens.tsx'

type Section = {
  id: string
  label: string
  description: ReactNode
  /** Viewers see a section without one. */
  role?: Role
  Content: () => ReactNode
}

const GROUPS: readonly { label: string; sections: readonly Section[] }[] = [
  {
    label: 'You',
    sections: [
      {
        id: 'account',
        label: 'Account',
        description: 'Who you are on this hub, and how its pages look in this browser.',
        Content: AccountSettings,
      },
      {
        id: 'security',
        label: 'Security',
        description: 'How you sign in, and where you are signed in.',
        Content: SecuritySettings,
      },
    ],
  },
  {
    label: 'Access',
    sections: [
      {
        id: 'tokens',
        label: 'Tokens',
        description:
          'For programs that read or operate this hub, with “Authorization: Bearer rht_…”. Platforms push with their hub API key instead.',
        Content: TokenSettings,
      },
      {
        id: 'operators',
        label: 'Operators',
        description: (
          <>
            People who use this hub. What each one did is in the{' '}
            <PageLink to="/dashboard/log" search={{ tab: 'audit' }} inherit underline="always">
              audit log
            </PageLink>
            .
          </>
        ),
        role: 'admin',
        Content: OperatorSettings,
      },
      {
        id: 'single-sign-on',
        label: 'Single sign-on',
        description: 'Operators sign in with the account of your organisation, by OpenID Connect.',
        role: 'admin',
        Content: SingleSignOnSettings,
      },
    ],
  },
  {
    label: 'This hub',
    sections: [
      {
        id: 'schedule',
        label: TEXTS.schedule,
        description:
          'The hub pulls all active platforms on this schedule, to receive records that were not pushed.',
        Content: ScheduleSettings,
      },
      {
        id: 'backups',
        label: 'Backups',
        description:
          'A backup contains all data of the hub, but not its secret and the request log. The text index is built again after a restore.',
        role: 'admin',
        Content: BackupSettings,
      },
      {
        id: 'retention',
        label: 'Retention',
        description:
          'Older data is deleted gradually. Records are never deleted by retention. 0 keeps everything.',
        Content: RetentionSettings,
      },
      {
        id: 'mail',
        label: 'Mail',
        description: 'Who receives an e-mail when the hub raises an alert.',
        role: 'admin',
        Content: MailSettings,
      },
      {
        id: 'system',
        label: 'System',
        description: 'The version, the database and the health of this hub.',
        Content: SystemSettings,
      },
    ],
  },
]

/** The list of sections, and the one that `?tab=` names. */
export function SettingsPage() {
  const [{ tab }] = useUrlState()
  const { operator } = useStore(session)
  const inbox = useQuery(inboxQuery).data
  if (!operator) return <PageSkeleton />
  const groups = GROUPS.map(({ label, sections }) => ({
    label,
    sections: sections.filter(({ role = 'viewer' }) => hasRole(operator.role, role)),
  })).filter(({ sections }) => sections.length > 0)
  const all = groups.flatMap(({ sections }) => sections)
  const shown = all.find(({ id }) => id === tab) ?? all[0]
  if (!shown) return null
  const { label, description, Content } = shown
  const backup = inbox?.items.find(({ kind, put_aside }) => kind === 'no_backup' && !put_aside)
  return (
    <div className={classes['layout']}>
      <nav className={classes['sections']} aria-label={TEXTS.settings}>
        {groups.map((group) => [
          <span key={group.label} className={classes['group']}>
            {group.label}
          </span>,
          ...group.sections.map(({ id, label: name }) => (
            <Link
              key={id}
              to="/dashboard/settings"
              search={id === 'account' ? {} : { tab: id }}
              className={classes['link']}
              // The address of a section may have further parameters, so the router does not decide what is current.
              activeOptions={{ exact: true, includeSearch: true }}
              aria-current={id === shown.id ? 'page' : undefined}
              ref={id === shown.id ? bringIntoView : null}
            >
              {name}
              {id === 'backups' && backup && (
                <Box component="span" ms="auto" title={backup.title}>
                  <Dot color="orange" />
                  <VisuallyHidden>needs attention</VisuallyHidden>
                </Box>
              )}
            </Link>
          )),
        ])}
      </nav>
      <Box miw={0}>
        <PageHeader isBelow title={label} description={description} />
        <Content key={shown.id} />
      </Box>
    </div>
  )
}

/** Scrolls to the current section, because the list is wider than a phone screen. */
function bringIntoView(link: HTMLAnchorElement | null): void {
  link?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}
