import { profileTexts } from '../texts/profile.ts';
import { Field } from '../ui/field.tsx';
import { type Config, linesIn, textIn, withInPart, withMember } from './profile-config.ts';

const words = profileTexts;

type FieldsProps = { config: Config; isFixed: boolean; onChange: (config: Config) => void };

/** The members of a profile's config, each as a field. */
export function ConfigFields(props: FieldsProps) {
  return (
    <>
      <ReadFields {...props} />
      <TransformerFields {...props} />
      <LineFields {...props} />
      <GatewayFields {...props} />
    </>
  );
}

function ReadFields({ config, isFixed, onChange }: FieldsProps) {
  const { content_type: type = '', write } = config;
  const types: [string, string][] = Object.entries(words.types);
  const isOther = type !== '' && !types.some(([value]) => value === type);
  return (
    <>
      <Field label={words.contentType} hint={words.contentTypeHint} of="config.content_type">
        <select
          class="input"
          disabled={isFixed}
          value={type}
          onChange={({ currentTarget: { value } }) =>
            onChange(withMember(config, 'content_type', textIn(value)))
          }
        >
          <option value="">{words.asSent}</option>
          {types.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
          {isOther && <option value={type}>{type}</option>}
        </select>
      </Field>
      <Check
        label={words.write}
        hint={words.writeHint}
        isChecked={write !== false}
        isFixed={isFixed}
        onCheck={(isChecked) =>
          onChange(withMember(config, 'write', isChecked ? undefined : false))
        }
      />
    </>
  );
}

function TransformerFields({ config, isFixed, onChange }: FieldsProps) {
  const { transformer = {} } = config;
  const texts = [
    ['data_field', words.dataField, words.dataFieldHint],
    ['time_field', words.timeField, words.timeFieldHint],
    ['time_format', words.timeFormat, words.timeFormatHint],
    ['time_location', words.timeLocation, words.timeLocationHint],
  ] as const;
  return (
    <fieldset class="part">
      <legend>{words.transformer}</legend>
      <p class="muted small">{words.transformerText}</p>
      <div class="pairs">
        {texts.map(([name, label, hint]) => (
          <Text
            key={name}
            of={`config.transformer.${name}`}
            label={label}
            hint={hint}
            value={transformer[name] ?? ''}
            isFixed={isFixed}
            onText={(text) => onChange(withInPart(config, 'transformer', { [name]: textIn(text) }))}
          />
        ))}
      </div>
      <Lines
        of="config.transformer.data_filters"
        label={words.dataFilters}
        hint={words.dataFiltersHint}
        lines={transformer.data_filters}
        isFixed={isFixed}
        onLines={(lines) => onChange(withInPart(config, 'transformer', { data_filters: lines }))}
      />
    </fieldset>
  );
}

function LineFields({ config, isFixed, onChange }: FieldsProps) {
  return (
    <details class="part" open={config.line !== undefined}>
      <summary>{words.line}</summary>
      <Lines
        of="config.line.tags"
        label={words.tags}
        hint={words.tagsHint}
        lines={config.line?.tags}
        isFixed={isFixed}
        onLines={(lines) => onChange(withInPart(config, 'line', { tags: lines }))}
      />
    </details>
  );
}

const gatewayTexts = [
  ['device_path', words.devicePath, words.devicePathHint],
  ['device_tag', words.deviceTag, undefined],
  ['key_prefix', words.keyPrefix, words.keyPrefixHint],
] as const;

function GatewayFields({ config, isFixed, onChange }: FieldsProps) {
  const { gateway = {} } = config;
  const set = (change: Parameters<typeof withInPart<'gateway'>>[2]) =>
    onChange(withInPart(config, 'gateway', change));
  return (
    <details class="part" open={config.gateway !== undefined}>
      <summary>{words.gateway}</summary>
      <p class="muted small">{words.gatewayText}</p>
      <div class="pairs">
        {gatewayTexts.map(([name, label, hint]) => (
          <Text
            key={name}
            of={`config.gateway.${name}`}
            label={label}
            hint={hint}
            value={gateway[name] ?? ''}
            isFixed={isFixed}
            onText={(text) => set({ [name]: textIn(text) })}
          />
        ))}
        <Field
          label={words.deviceLevel}
          hint={words.deviceLevelHint}
          of="config.gateway.device_level"
        >
          <input
            class="input"
            type="number"
            min={1}
            max={127}
            readOnly={isFixed}
            value={gateway.device_level ?? ''}
            onInput={({ currentTarget: { value } }) =>
              set({ device_level: value === '' ? undefined : Number(value) })
            }
          />
        </Field>
      </div>
      <Check
        label={words.createThings}
        isChecked={gateway.create_things === true}
        isFixed={isFixed}
        onCheck={(isChecked) => set({ create_things: isChecked ? true : undefined })}
      />
    </details>
  );
}

function Text(props: {
  of: string;
  label: string;
  hint: string | undefined;
  value: string;
  isFixed: boolean;
  onText: (text: string) => void;
}) {
  const { of, label, hint, value, isFixed, onText } = props;
  return (
    <Field label={label} hint={hint} of={of}>
      <input
        class="input"
        maxLength={1024}
        autocomplete="off"
        spellcheck={false}
        readOnly={isFixed}
        value={value}
        onInput={(event) => onText(event.currentTarget.value)}
      />
    </Field>
  );
}

function Lines(props: {
  of: string;
  label: string;
  hint: string;
  lines: readonly string[] | undefined;
  isFixed: boolean;
  onLines: (lines: string[] | undefined) => void;
}) {
  const { of, label, hint, lines = [], isFixed, onLines } = props;
  return (
    <Field label={label} hint={hint} of={of}>
      <textarea
        class="input mono"
        rows={Math.min(8, Math.max(2, lines.length + 1))}
        spellcheck={false}
        readOnly={isFixed}
        defaultValue={lines.join('\n')}
        onInput={(event) => onLines(linesIn(event.currentTarget.value))}
      />
    </Field>
  );
}

function Check(props: {
  label: string;
  hint?: string;
  isChecked: boolean;
  isFixed: boolean;
  onCheck: (isChecked: boolean) => void;
}) {
  const { label, hint, isChecked, isFixed, onCheck } = props;
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isChecked}
        disabled={isFixed}
        onChange={(event) => onCheck(event.currentTarget.checked)}
      />
      <span>
        {label}
        {hint !== undefined && <small class="muted">{hint}</small>}
      </span>
    </label>
  );
}
