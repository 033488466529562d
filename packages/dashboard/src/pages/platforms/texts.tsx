import { Code } from '@mantine/core'
import type { ReactNode } from 'react'
import { COMMON_TEXTS } from '../../texts.ts'

/** The texts of the list of platforms and of the registration. */
export const TEXTS = {
  ...COMMON_TEXTS,

  reachable: 'Reachable',
  ping: 'Ping',
  manifest: 'Manifest',
  recordsOf: (module: string) => `Records of ${module}`,
  checks: 'Checks',
  sameErrorAsAbove: 'Same error as above.',
  checking: 'Checking…',
  passed: 'Passed',

  checkConformance: 'Check conformance',

  connection: 'Connection',
  recordsChecked: (progress: string) => `: ${progress} records checked…`,
  checkAgain: 'Check again',
  downloadHtml: 'Download HTML',
  downloadJson: 'Download JSON',
  couldNotReachPlatform: 'Could not reach the platform',
  conforms: 'The platform conforms to the specification',
  doesNotConform: 'The platform does not conform to the specification',
  checkIncomplete: ' The check is incomplete.',
  nothingWasSaved: (errors: string, warnings: string, notes: string, incomplete: string) =>
    `${errors}, ${warnings}, ${notes}. Nothing was saved.${incomplete}`,
  note: 'Note',
  guideSection: (code: ReactNode, section: ReactNode) => (
    <>
      {code} · Integration guide: {section}
    </>
  ),

  manifestHasNoFields: 'The manifest has no fields.',
  fieldsOf: (name: string) => `Fields of ${name}`,
  label: 'Label',
  key: 'Key',
  type: 'Type',
  required: 'Required',
  addedLater: 'Added later',
  yes: 'Yes',
  no: 'No',
  noPlatformsRegisteredHint:
    'A platform is a system whose records the hub stores. To register it, you need its base URL and a source API key from its owner.',

  platformInactive: 'The platform is inactive',
  pullHasStarted: 'The pull has started.',
  pullAlreadyRunning: (pull: string, requestedAt: string) =>
    `A pull is already running: started ${pull} at ${requestedAt}.`,
  pullNow: 'Pull now',
  readEverythingAgain: 'Read everything again',
  readEverythingAgainHint: 'Without the ETag or Last-Modified of the last response',
  examplePush: 'Example push',
  copyExample: 'Copy example',
  requiresOperatorRoleHint: 'Ask an admin for this role, or to register the platform.',
  connect: 'Connect',
  selectModules: 'Select modules',

  integrationGuideLink: 'integration guide',
  connectIntroduction: (link: ReactNode) => (
    <>
      The owner of the platform adds the endpoints described in the {link} and gives you the base
      URL and the key.
    </>
  ),
  sourceBaseUrlHint: 'The URL up to, but without, /api',
  sourceApiKey: 'Source API key',
  sourceApiKeyDescription:
    'The hub sends it to the platform in X-PLATFORM-API-KEY. It is stored encrypted.',
  testAgain: 'Test again',
  fetchPlatformData: 'Fetch Platform Data',
  connectionWorks: 'The connection works',
  connectionWorksHint: (platformName: string) =>
    `${platformName} is online. Fetch its platform data to select modules.`,
  checkEverything: 'Check everything',
  conformanceOfPlatform: (platformTitle: string) => `Conformance of ${platformTitle}`,
  notConnectedYet: 'Not connected yet',
  notConnectedYetHint: 'Fix the failed checks above and test again. Nothing was saved.',
  alreadyRegistered: 'Already registered',
  alreadyRegisteredHint: (link: ReactNode) => (
    <>This platform is registered as {link}. Change its modules, address and keys there.</>
  ),
  canRegisterAnyway: 'You can still register it and fix the failed checks later.',
  correctedBaseUrl: (code: ReactNode) => (
    <>The base URL of this platform is {code}. The hub adds the path of each endpoint to it.</>
  ),
  switchToUrl: (sourceBaseUrl: string) => `Use ${sourceBaseUrl}`,

  firstPushReceived: 'First push received',
  firstPushAcceptedAt: (time: ReactNode) => <>Accepted at {time}. The platform is connected.</>,
  pushRejected: 'Push rejected',
  viewRejectedPush: 'View rejected push',
  waitingFirstPush: 'Waiting for the first push',
  waitingFirstPushHint:
    'This updates automatically. You do not have to wait: existing records are pulled without it.',

  hubApiKeyInstructions: (displayTitle: string) => (
    <>
      Give this hub API key to the owner of {displayTitle} only. The platform sends it in{' '}
      <Code>X-API-KEY</Code> with every push.
    </>
  ),
  hubApiKeyTitle: (hubApiKeyHint: string) => `Hub API key ${hubApiKeyHint}`,
  settingsPlatform: 'settings of the platform',
  hubApiKeyHint: (link: ReactNode) => (
    <>
      The key was shown when the platform was registered. You can reveal it in the {link}. Your
      password is required.
    </>
  ),
  integrationGuideFor: (displayTitle: string) => `the integration guide for ${displayTitle}`,
  moreExamples: (link: ReactNode) => (
    <>More examples, also for PHP, Node, Python, C# and Java: {link}.</>
  ),
  openPlatform: (displayTitle: string) => `Open ${displayTitle}`,

  hasNoModules: (platformTitle: string) => `${platformTitle} has no modules`,
  hasNoModulesHint: (group: ReactNode) => (
    <>Its manifest has no modules. Ask the owner of the platform to add one.{group}</>
  ),
  selectModulesHint: (platformTitle: string) =>
    `Select the modules that the hub receives from ${platformTitle}. You can register others later.`,
  allOfModules: (modules: string) => `All ${modules}`,
  registrationFailed: 'Registration failed',
  registerWith: (modules: string) => `Register with ${modules}`,
  ofModule: (moduleName: string) => `of ${moduleName}`,

  deletingRecordsProgress: (subject: string, removed: string, records: string) =>
    `Deleting the records of ${subject}: ${removed} of ${records}`,
  deletingRecords: (subject: string) => `Deleting the records of ${subject}`,

  testConnection: 'Test Connection',
  connectionTo: (displayTitle: string) => `Connection to ${displayTitle}`,
  allChecksPassed: 'All checks passed. Nothing was saved.',
  someChecksFailed: 'Some checks failed. Nothing was saved.',
}
