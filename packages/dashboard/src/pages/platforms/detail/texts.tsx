import type { ReactNode } from 'react'
import { COMMON_TEXTS } from '../../../texts.ts'

/** The texts of the page of a platform. */
export const TEXTS = {
  ...COMMON_TEXTS,

  byOperator: (operator: ReactNode) => <>by {operator}</>,
  noActivityYetHint: 'Pushes, pulls and changes by operators appear here.',

  deleteRecords: 'Delete records',
  deleteRecordsTitle: (recordType: string) => `Delete the records of ${recordType}?`,
  typeRecordTypeConfirm: 'Type the record type to confirm',
  recordsBeingDeleted: 'The records are being deleted.',
  deleteRecordsHint: (records: string) =>
    `This deletes ${records} with their history. They return only if the platform still has them and the module is registered again.`,
  hubApiKeyShown: 'Give it to this platform only. This was logged.',

  validKeys: 'Valid keys',
  revealKey: 'Reveal key',
  rotateKey: 'Rotate key',
  notUsedYet: 'no accepted push yet',
  lastUsedAt: (time: ReactNode) => <>last accepted push {time}</>,
  keyValidUntil: (time: ReactNode) => <>, valid until {time}</>,
  keyCreatedAt: (time: ReactNode, lastUsed: ReactNode, validUntil: ReactNode) => (
    <>
      Created {time}, {lastUsed}
      {validUntil}.
    </>
  ),

  indexedFieldsOf: (moduleName: string) => `Indexed fields of ${moduleName}`,
  indexBeingBuilt: 'Sorting and filtering by these fields is fast. The index is being built.',
  indexedFieldsHint: (maxFields: number) =>
    `Sorting and filtering by these fields is fast. At most ${maxFields} fields.`,
  noChanges: 'No changes',
  manifestHasChanged: 'The manifest has changed',
  manifestUnchanged: 'The manifest is unchanged.',
  manifestHistory: 'Manifest history',
  manifestChanges: 'Manifest changes',

  completeness: 'Completeness:',
  markedAsMissing: (records: string) => `${records} marked as missing`,
  notVerifiedBecause: (incompleteReasonLabel: string) =>
    `The last pull could not verify it: ${incompleteReasonLabel}. `,
  lastPullFailedWith: (error: string) => `The last pull failed: ${error}`,
  lastPullWarned: (warning: string) => `The last pull succeeded, with warnings: ${warning}`,

  acceptAndCount: 'Accept and count',
  rejectSaveReplay: 'Reject and save for replay',
  driftPolicyChanged: 'The policy applies to records received from now on.',
  recordsNotMatchingManifest: (moduleName: string) =>
    `Records of ${moduleName} not matching the manifest`,
  unknownField: (records: string, key: string) => (
    <>
      {records} had the field <b>{key}</b>, which is not in the manifest.
    </>
  ),
  missingField: (records: string, key: string) => (
    <>
      {records} had no <b>{key}</b>, which is required.
    </>
  ),
  declaredType: (type: string) => `; the manifest declares ${type}`,
  wrongTypeOfField: (records: string, key: string, declaredType: string) => (
    <>
      {records} had a <b>{key}</b> of the wrong type{declaredType}.
    </>
  ),
  registerModule: (moduleName: string) => `Register ${moduleName}`,
  unregisterTitle: (moduleName: string) => `Unregister ${moduleName}?`,
  unregister: 'Unregister',
  unregisterMessage: 'Its pushes are rejected, and it is no longer pulled. Its records are kept.',
  moduleRegistered: (moduleName: string) =>
    `${moduleName} is registered. The next pull receives its existing records.`,
  moduleUnregistered: (moduleName: string) => `${moduleName} is no longer registered.`,
  unregisterModule: (moduleName: string) => `Unregister ${moduleName}`,

  manifestFetchedAt: (time: ReactNode) => (
    <>Manifest fetched {time}. Pulls check it once an hour.</>
  ),
  refreshManifest: 'Refresh manifest',
  manifestHasNoModules: 'The manifest has no modules',
  manifestHasNoModulesHint: 'Ask the owner of the platform to add one. Then refresh the manifest.',
  registered: 'Registered',
  notRegistered: 'Not registered',
  rejectedPushesCount: (pushes: string) => `${pushes} rejected`,
  platformName: 'Platform Name',
  noPullsYetHint: 'Active platforms are pulled on schedule. “Pull now” pulls this one immediately.',
  trigger: 'Trigger',
  changed: 'Changed',
  modulesReadOf: (modulesRead: number, modules: number) => `${modulesRead} of ${modules}`,

  noPushesYetText: 'No accepted pushes yet.',
  lastAcceptedPush: (time: ReactNode) => <>Last accepted push: {time}</>,
  allRejectedPushes: 'All rejected pushes',
  accepted: 'Accepted',
  noPushesYet: 'No accepted pushes',
  noPushesYetHint:
    'The platform pushes with its hub API key. Accepted pushes appear here with their record.',
  allPushErrors: 'All push errors',
  pushErrorsHint:
    'Requests that this platform may have sent with an invalid API key or a malformed body.',
  noPushErrorsHint:
    'Pushes of this platform with an invalid API key or malformed JSON are counted here.',

  noRejectedPushes: 'No rejected pushes',
  noRejectedPushesHint: 'Rejected pushes appear here with the reason.',
  times: (count: number) => `${count} times`,

  platformRemoved: (displayTitle: string) =>
    `${displayTitle} was removed. Its records are being deleted.`,
  removePlatformHint:
    'To stop receiving data temporarily, deactivate the platform instead. All data is kept.',
  removeNamed: (displayTitle: string) => `Remove ${displayTitle}`,
  removeTitle: (displayTitle: string) => `Remove ${displayTitle}?`,
  typePlatformNameConfirm: 'Type the platform name to confirm',
  deletePermanently: 'Delete permanently',
  cannotUndoneDeletes: 'This cannot be undone. This deletes:',
  deletedRecords: (records: string) => `${records} with their history, in the background`,
  deletedKeys: (keys: string) => `${keys} and the source API key, immediately`,
  logsKept: 'The activity log and the audit log are kept.',

  replayedBy: (time: ReactNode, operator: ReactNode) => (
    <>
      Replayed {time} by {operator}.
    </>
  ),
  fixBeforeReplay: 'Fix before replay',
  rejectedAgain: (message: string) => `Rejected again: ${message}`,

  savedForReplay: 'They have been saved. Register the module to replay them.',
  allReplayed: 'All rejected pushes were replayed',
  rejectedBeforeRegistration: (pushes: string) =>
    `${pushes} rejected while the module was not registered`,
  testResult: 'Test result: ',
  replayedCounts: 'Replayed: ',
  soFar: ' so far…',
  nothingToReplay: 'nothing to replay',
  replayAll: 'Replay all',

  hubApiKeyOf: (displayTitle: string) => `Hub API key of ${displayTitle}`,
  reveal: 'Reveal',
  revealIsLogged: 'This will be logged.',

  expiresImmediately: 'Expires immediately',
  oneHour: '1 hour',
  oneDay: '1 day',
  oneWeek: '1 week',
  rotateHubApiKey: 'Rotate the hub API key?',
  newHubApiKey: 'New hub API key',
  rotateKeyHint: (displayTitle: string) =>
    `${displayTitle} gets a new key. The old key can stay valid until the owner of the platform has configured the new one.`,
  oldKeyValidity: 'How long the old key stays valid',
  oldKeyExpiresHint: 'Pushes with the old key are rejected immediately and are not saved.',
  createNewKey: 'Create new key',

  requiresOperatorRoleHint: 'Viewers cannot change the settings of a platform or see its keys.',
  hubApiKeyDescription:
    'The platform sends it in X-API-KEY when it pushes. Give it to this platform only.',
  addressTitle: 'Address and source API key',
  addressDescription: 'How the hub calls the platform. Changes are tested before they are saved.',
  removePlatform: 'Remove platform',

  renameDescription:
    'If the platform was renamed, enter the name that its manifest has now. Its records, history and keys stay.',
  acceptNewName: 'Accept the new name',
  wasRenamed: (displayTitle: string, name: string) => `${displayTitle} has the new name ${name}.`,

  connectionSaved: 'The connection works. The change was saved.',
  newSourceApiKey: 'New source API key',
  newSourceApiKeyHint: 'Leave empty to keep the stored key, which is never shown.',
  movedSourceApiKeyHint:
    'The stored key is only sent to the scheme, host and port that it was entered for. Enter the key for the new address.',
  nothingWasSaved: 'Nothing was saved',
  testAndSave: 'Test and save',

  isActive: (displayTitle: string) => `${displayTitle} is active.`,
  isInactive: (displayTitle: string) => `${displayTitle} is inactive.`,
  activeDescription: 'The platform is pulled and can push.',
  inactiveDescription: 'The platform is not pulled, and its pushes are rejected.',
  deactivateTitle: (displayTitle: string) => `Deactivate ${displayTitle}?`,
  deactivate: 'Deactivate',
  deactivateMessage:
    'Its pushes are rejected and not saved, and it is no longer pulled. Its records are kept.',
}
