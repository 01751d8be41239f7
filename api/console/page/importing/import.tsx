import { useState } from 'preact/hooks';
import { linkTo } from '../router.ts';
import { importingTexts } from '../texts/importing.ts';
import { thingsTexts } from '../texts/things.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { useAction } from '../ui/form.tsx';
import { PageHead, Panel } from '../ui/page.tsx';
import { saveFile } from '../ui/save-file.ts';
import { Notice } from '../ui/states.tsx';
import { template } from './files.ts';
import { Mapping } from './mapping.tsx';
import { type CsvFile, readCsv } from './read-csv.ts';

const words = importingTexts;
const mebibytesMax = 50;

/** Makes things of a file: it is read and looked at here, and nothing is made before one says so. */
export default function ImportThings() {
  const [file, setFile] = useState<CsvFile>();
  return (
    <>
      <PageHead title={words.title} trail={[{ text: thingsTexts.title, href: linkTo('/things') }]}>
        {file !== undefined && (
          <Button icon="again" onClick={() => setFile(undefined)}>
            {words.other}
          </Button>
        )}
      </PageHead>
      {file === undefined ? <Choosing onFile={setFile} /> : <Mapping file={file} />}
    </>
  );
}

function Choosing({ onFile }: { onFile: (file: CsvFile) => void }) {
  const [pasted, setPasted] = useState('');
  const { failure, isBusy, run } = useAction();
  const take = (text: () => Promise<string>) =>
    void run(async () => onFile(await readCsv(await text())));
  return (
    <Panel>
      <div class="stack">
        <p class="muted prose">{words.intro}</p>
        <div>
          <Button
            icon="download"
            onClick={() => saveFile('things-template.csv', 'text/csv', template)}
          >
            {words.template}
          </Button>
        </div>
        <div class="narrow-form">
          <Field label={words.choose}>
            <input
              class="input"
              type="file"
              accept=".csv,.tsv,.txt,text/csv"
              onChange={(event) => {
                const [chosen] = event.currentTarget.files ?? [];
                if (chosen !== undefined) take(() => textOf(chosen));
              }}
            />
          </Field>
        </div>
        <Field label={words.paste}>
          <textarea
            class="input mono"
            rows={8}
            spellcheck={false}
            onInput={(event) => setPasted(event.currentTarget.value)}
          />
        </Field>
        <Notice failure={failure} />
        <div>
          <Button
            kind="primary"
            disabled={pasted.trim() === '' || isBusy}
            onClick={() => take(async () => pasted)}
          >
            {words.read}
          </Button>
        </div>
      </div>
    </Panel>
  );
}

/** Spreadsheets save UTF-8, or UTF-16 with a mark. */
async function textOf(file: File): Promise<string> {
  if (file.size > mebibytesMax * 2 ** 20) throw new Error(words.file.tooLarge(mebibytesMax));
  const bytes = new Uint8Array(await file.arrayBuffer());
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  const encoding = isUtf16 ? (first === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}
