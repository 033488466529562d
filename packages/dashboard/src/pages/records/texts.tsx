import type { ReactNode } from 'react'
import { COMMON_TEXTS } from '../../texts.ts'

/** The texts of the Records page. */
export const TEXTS = {
  ...COMMON_TEXTS,

  sortAscending: 'Sort ascending',
  sortDescending: 'Sort descending',
  sortedAscending: 'sorted ascending',
  sortedDescending: 'sorted descending',
  filtered: 'filtered',
  notIndexedHint: 'Not indexed: sorting scans the records for at most two seconds.',
  indexThisField: 'Index this field',
  filter: 'Filter…',
  moveLeft: 'Move left',
  moveRight: 'Move right',

  columns: 'Columns',
  visibleColumns: 'Visible columns',
  moveUp: (label: string) => `Move ${label} up`,
  moveDown: (label: string) => `Move ${label} down`,
  resetColumns: 'Reset columns',

  viewAsOf: 'View as of',
  versionAfter: (time: string) =>
    `This is the version after ${time ? `the change of ${time}` : 'a change'}, not the current one.`,
  versionOf: (time: string) => `This is the version of ${time}, not the current one.`,
  backToCurrentVersion: 'Back to current version',
  changed: (ago: string) => (ago === 'now' ? 'Changed just now' : `Changed ${ago}`),
  show: 'Show',

  erase: 'Erase…',
  eraseTitle: 'Erase this record permanently?',
  recordWasErased: 'The record was erased.',
  recordWasAnonymised: 'The record was anonymised.',
  eraseHint: (
    fullName: string,
    referenceNumber: string,
    moduleName: string,
    platformName: string,
  ) =>
    `${fullName} (${referenceNumber}, ${moduleName}, ${platformName}). This cannot be undone. This deletes:`,
  deletedRecord: 'The record with all its values, also from search',
  deletedHistory: (changes: string) => `${changes} in its history`,
  deletedRejectedPushes: (pushes: string) => `${pushes} of this record`,
  redactedLogEntries: (entries: string) => `${entries} of this record (redacted)`,
  method: 'Method',
  eraseMethod: 'Erase: the record is deleted',
  anonymiseMethod: 'Anonymise: an empty record is kept, so that counts stay the same',
  notErased: 'Not erased by the hub',
  reasonOptional: 'Reason (optional)',
  reasonOptionalDescription: 'Saved in the audit log. Do not enter personal data.',
  erasePermanently: 'Erase permanently',
  anonymisePermanently: 'Anonymise permanently',

  recordHasNoFields: 'The record has no fields.',
  field: 'Field',
  value: 'Value',
  notManifest: 'Not in the manifest',
  sourcePull: (pullId: number) => `pull ${pullId}`,
  requestSuffix: (requestId: string) => `, request ${requestId}`,

  showOlderChanges: 'Show older changes',
  noChangesSinceReceived: 'No changes since the record was received',
  viewThisVersion: 'View this version',
  requestId: (requestId: string) => `Request ${requestId}`,
  before: 'Before',
  after: 'After',

  copyJson: 'Copy JSON',
  openApi: 'Open in the API',
  jsonRecord: 'JSON of the record',
  onlyFirstPartShown: (count: string) =>
    `Only the first part of ${count} is shown. “Copy JSON” copies everything.`,
  closeRecord: 'Close record',
  couldNotLoadRecord: 'Could not load the record',
  copyLinkRecord: 'Copy link to this record',
  copyLink: 'Copy link',
  fields: 'Fields',
  history: 'History',
  raw: 'Raw',
  recordSummary: (
    referenceNumber: string,
    moduleName: string,
    displayTitle: string,
    recordId: number,
  ) => `${referenceNumber} · ${moduleName} · ${displayTitle} · ID ${recordId}`,
  incomplete: 'Incomplete',
  receivedAndUpdatedAt: (time: ReactNode, time2: ReactNode) => (
    <>
      Received {time} · Updated {time2}
    </>
  ),

  csvHint:
    'For spreadsheets and most programs. Text that a spreadsheet would run as a formula is escaped.',
  xlsxHint:
    'For Excel and LibreOffice. Numbers with more than 15 digits are stored as text. Very long text is truncated.',
  ndjsonHint: 'For programs: one complete record per line. Numbers keep their digits.',
  jsonHint: 'For programs: one document with complete records. Numbers keep their digits.',
  exportRecords: 'Export records',
  filteredRecords: 'Filtered records: ',
  allRecords: 'All records: ',
  estimatedSize: (size: string, isCompressed: boolean) =>
    `, about ${size}${isCompressed ? ' before compression' : ''}`,
  format: 'Format',
  visibleColumnsInOrder: (count: number) => `Visible columns in their order (${count})`,
  allColumns: 'All columns, with other values as JSON',
  labelsInFirstLine: 'Field labels instead of keys in the first line',
  byteOrderMark: 'Byte order mark, so that Excel reads accents correctly',
  compressGz: 'Compress (.gz)',
  removeFilter: (label: string) => `Remove filter: ${label}`,
  editFilter: (label: string) => `Edit filter: ${label}`,
  addFilter: 'Add filter',

  incompleteRecords: 'Incomplete records',
  updatedSince: 'Updated since',
  filterBy: 'Filter by',
  onlyThese: 'Only these',
  allButThese: 'All but these',
  condition: 'Condition',
  from: 'From',
  toExclusive: 'To (exclusive)',
  apply: 'Apply',
  enterValue: 'Enter a value.',
  invalidValue: (rule: string) => `The value ${rule}.`,
  allPlatforms: 'All platforms',
  searchPlaceholder: 'Search names, references and values',
  searchHint:
    'Finds the beginnings of words in all values, and any part of three or more characters in names and references. Use quotes for a phrase.',
  clearSearch: 'Clear search',
  recordsPerPage: 'Records per page',

  searchStopped: (records: string) =>
    `No index covers these filters. The search stopped after two seconds with ${records}. There may be more.`,
  continueSearching: 'Continue searching',
  searchLagMax: 'More than 10,000 updated records are not searchable yet.',

  recordsDescription: 'Records pushed and pulled from all platforms',
  listChanged:
    'A part of this list has been removed, or its fields have other types. It starts again at its first page.',
  noMatchingRecords: 'No matching records',
  noMatchingRecordsSoFar: 'No matching records found so far',
  clearSearchFilters: 'Clear search and filters',
  noMatchingRecordsHint:
    'Check the search text and the filters, or select another module. A search finds the beginnings of words in all values, and any part of names and references.',
  noPlatformsHint: 'Register a platform to receive its records.',

  indexStarted: 'The index is being built. Sorting and filtering are fast when it is ready.',
  indexBeingBuilt: 'The index is being built. The list appears when it is ready.',
  selectOneModuleFirst: 'Select one platform and one module first: indexes belong to a module.',
  operatorCanIndex: 'An operator can index this field to make sorting fast.',
  maxIndexedFields: (moduleName: string, max: number, fields: string) =>
    `${moduleName} already has the maximum of ${max} indexed fields (${fields}).`,
  indexOrFilter: 'Index this field to make sorting fast, or filter the list to fewer records.',
  thisField: 'this field',
  sortingTakesTooLong: (label: string) => `Sorting by ${label} takes too long`,
  fieldNotIndexed: (advice: string) => `This field is not indexed. ${advice}`,
  indexField: (label: ReactNode) => <>Index {label}</>,
  sortByLastUpdate: 'Sort by last update instead',

  deleteViewTitle: (name: string) => `Delete the view “${name}”?`,
  deleteSharedViewMessage: 'It is deleted for everyone. Records are not changed.',
  deleteViewMessage: 'Records are not changed.',
  deleteView: 'Delete view',
  savedViews: 'Saved views',
  noSavedViews: 'No saved views.',
  nameView: (name: string) => `Name of the view ${name}`,
  renamedTo: (name: string) => `Renamed to “${name}”.`,
  shared: 'Shared',
  viewPrivate: 'The view is private.',
  viewSharedEveryone: 'The view is shared with everyone.',
  updateView: 'Update to the current list',
  updateNamedView: (name: string) => `Update ${name} to the current list`,
  viewWasUpdated: 'The view was updated.',
  delete: 'Delete',
  deleteNamed: (name: string) => `Delete ${name}`,
  sharedAnotherOperator: 'Shared by another operator',

  savedAs: (name: string) => `Saved as “${name}”.`,
  saveViewTitle: 'Save this view',
  nameDescription: 'Saves search, filters and sorting. Columns are stored in each browser.',
  shareWithEveryone: 'Share with everyone',
  shareWithEveryoneHint: 'All operators and viewers can use it.',
  save: 'Save',

  views: 'Views',
  noSavedViewsHint: 'No saved views yet. Filter and sort the list, then save it as a view.',
  yours: 'Yours',
  saveView: 'Save this view…',
  manageViews: 'Manage views…',
}
