import type { ReactNode } from 'react'
import { COMMON_TEXTS } from '../../texts.ts'

/** The texts of the Overview page. */
export const TEXTS = {
  ...COMMON_TEXTS,

  latestActivity: 'Latest activity',
  allActivity: 'All activity',
  activityAppearsHere: 'Activity appears here.',

  latestRecords: 'Latest records',
  allRecords: 'All records',

  openAlerts: 'Open alerts',
  allAlerts: (alerts: string) => `All ${alerts}`,
  raisedAt: (time: ReactNode) => <>Raised {time}.</>,
  acknowledgedBy: (operator: ReactNode) => <>Acknowledged by {operator}</>,

  latestSyncAt: (time: ReactNode) => <>Latest Sync: {time}</>,
  lastPushAt: (time: ReactNode) => <>Last accepted push: {time}</>,
  pageOf: (page: number, pages: number) => `Page ${page} of ${pages}`,
  previousPlatforms: 'Previous platforms',
  nextPlatforms: 'Next platforms',
  noPlatformsRegisteredHint:
    'Platforms push their records to the hub, and the hub pulls existing records. Register the first platform to start.',

  pullTooltip: (pullId: number, label: string, end: string) => `Pull ${pullId}: ${label}${end}`,
  succeededWithIssues: 'succeeded with rejected or unlisted records',
  onePull: 'pull',
  pullsCount: (count: number) => `${count} pulls`,
  pullBarsLabel: (pulls: string, states: string) => `The last ${pulls}: ${states}`,
  pullRunning: 'Pull running',
  noPullsYetHint: 'No pulls yet.',
  showModules: 'Show modules',
  ended: 'Ended',

  modulesOfPull: (id: number) => `Modules of pull ${id}`,
  allOfModules: (modules: string) => `All ${modules}`,

  recordsReceived: 'Records received',
  receivedCounts: (posts: string, patches: string, changes: string) =>
    `In the last 24 hours: ${posts}, ${patches}, ${changes} by pulls`,
  receivedPeriod: 'In the last 24 hours',

  activePlatforms: 'Active platforms',
  receivedToday: 'Received today',
  rejectedToday: 'Rejected today',
}
