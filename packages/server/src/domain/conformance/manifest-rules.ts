/** What a manifest must be. */
import { error, note, type Rule, warning } from './rule.ts'

export const MANIFEST_RULES = {
  'manifest.shape': error(
    '2.2',
    'It is not as agreed.',
    'Compare the manifest with the integration guide: names of members, and their types.',
  ),
  'manifest.duplicate_module': error(
    '2.2',
    'Two modules have the same record_type.',
    'Give each module a record_type of its own.',
  ),
  'manifest.duplicate_field': error(
    '2.2',
    'A module has two fields with the same key.',
    'Name each key once.',
  ),
  'manifest.record_type_unusable': error(
    '2.2',
    'A record_type cannot stand in an address, or is longer than 512 bytes.',
    'Use small letters, digits and underscores.',
  ),
  'manifest.record_type_awkward': warning(
    '2.2',
    'A record_type has characters that addresses have to escape, or differs from another one only by case.',
    'Use small letters, digits and underscores: routers and proxies differ in how they take others.',
  ),
  'manifest.text_unusable': error(
    '2.2',
    'A text of the manifest holds a null character or half of a surrogate pair.',
    'Send valid UTF-8 and leave null characters out.',
  ),
  'manifest.member_left_out': warning(
    '2.2',
    '"{field}" is left out; the hub takes {instead} for it.',
    'Send every member of the specification.',
  ),
  'manifest.member_unknown': note(
    '2.2',
    'The member "{field}" is none of the specification; the hub ignores it.',
    'Leave it out, or see whether it is a known one misspelt.',
  ),
  'manifest.type_unknown': warning(
    '2.2',
    'A type is none that the hub knows: values are taken for text.',
    'Use string, number, integer, boolean, date, datetime or json.',
  ),
  'manifest.blank': warning(
    '2.2',
    '"{field}" is empty somewhere, or has blanks at an end.',
    'People see it as a title or as the head of a column: trim it, and let it say something.',
  ),
  'manifest.title_long': warning(
    '2.2',
    '"{field}" has more than 100 characters somewhere.',
    'Titles and labels stand in tables: 100 characters are plenty.',
  ),
  'manifest.large': warning(
    '2.2',
    'The manifest has {bytes} bytes.',
    'A manifest describes modules and fields; leave records out of it.',
  ),
  'manifest.no_modules': warning(
    '2.2',
    'The manifest names no module, so there is nothing to receive.',
    'Name a module for each kind of record.',
  ),
  'manifest.no_fields': warning(
    '2.2',
    'A module names no fields, so its table in the hub has no columns.',
    'Name the keys that stand in the data of its records.',
  ),
} as const satisfies Record<string, Rule>
