import type { ReactNode } from 'react'

/** The texts of the Overview page. */
export const TEXTS = {
  pull: 'Pull',

  latestActivity: 'Latest activity',
  allActivity: 'All activity',
  noActivityYet: 'No activity yet',
  activityAppearsHere: 'Activity appears here.',

  latestRecords: 'Latest records',
  allRecords: 'All records',
  noRecordsYet: 'No records yet',
  noRecordsYetHint: 'Records appear here when a platform pushes them or a pull receives them.',

  openAlerts: 'Open alerts',
  allAlerts: (alerts: string) => `All ${alerts}`,
  raisedAt: (time: ReactNode) => <>Raised {time}.</>,
  acknowledgedBy: (operator: ReactNode) => <>Acknowledged by {operator}</>,
  acknowledge: 'Acknowledge',

  overview: 'Overview',

  latestSyncAt: (time: ReactNode) => <>Latest sync: {time}</>,
  lastPushAt: (time: ReactNode) => <>Last push: {time}</>,

  platforms: 'Platforms',
  pageOf: (page: number, pages: number) => `Page ${page} of ${pages}`,
  previousPlatforms: 'Previous platforms',
  nextPlatforms: 'Next platforms',
  noPlatformsRegistered: 'No platforms registered',
  registerAPlatform: 'Register a platform',
  noPlatformsRegisteredHint:
    'Platforms push their records to the hub, and the hub pulls existing records. Register the first platform to start.',

  pullTooltip: (pullId: number, label: string, end: string) => `Pull ${pullId}: ${label}${end}`,
  noPullsYet: 'No pulls yet',
  pullsCount: (count: number) => `${count} pulls`,
  pullBarsLabel: (pulls: string, states: string) => `The last ${pulls}: ${states}`,

  latestSync: 'Latest sync',
  pullRunning: 'Pull running',
  noPullsYetHint: 'No pulls yet.',
  showModules: 'Show modules',
  pullLink: (id: number) => `Pull ${id}`,
  started: 'Started',
  ended: 'Ended',

  modulesOfPull: (id: number) => `Modules of pull ${id}`,
  close: 'Close',
  allModules: (modules: string) => `All ${modules}`,

  recordsReceived: 'Records received',
  receivedCounts: (posts: string, patches: string, changes: string) =>
    `In the last 24 hours: ${posts}, ${patches}, ${changes} by pulls`,
  receivedPeriod: 'In the last 24 hours',

  activePlatforms: 'Active platforms',
  modules: 'Modules',
  records: 'Records',
  receivedToday: 'Received today',
  rejectedToday: 'Rejected today',
}
