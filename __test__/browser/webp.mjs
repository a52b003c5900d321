// Pictures as WebP and back, by a page of the browser: the only thing here that can write and read them.

const drawn = (page, { data, from, to, quality }) =>
  page.evaluate(
    async (given) => {
      const image = new Image();
      image.src = `data:${given.from};base64,${given.data}`;
      await image.decode();
      const canvas = document.createElement("canvas");
      canvas.width = image.width;
      canvas.height = image.height;
      canvas.getContext("2d").drawImage(image, 0, 0);
      return canvas.toDataURL(given.to, given.quality);
    },
    { data: data.toString("base64"), from, to, quality },
  );

const bytesOf = (address) => Buffer.from(address.split(",")[1], "base64");

/** A PNG as WebP; `quality` is from 0 to 1. */
export const toWebp = async (page, png, quality) => bytesOf(await drawn(page, { data: png, from: "image/png", to: "image/webp", quality }));

/** A WebP as PNG. */
export const toPng = async (page, webp) => bytesOf(await drawn(page, { data: webp, from: "image/webp", to: "image/png" }));
