import { Controller, Get, Query } from '@nestjs/common';
import { ApiBadRequestResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CursorQuery } from '../http/cursor.dto.js';
import { ErrorDto } from '../http/error.dto.js';
import { ProductPageDto } from './product.dto.js';
import { ProductsService } from './products.service.js';

@ApiTags('products')
@Controller('products')
export class ProductsController {
  constructor(private readonly products: ProductsService) {}

  @Get()
  @ApiOperation({ summary: 'Lists products, oldest first' })
  @ApiOkResponse({ type: ProductPageDto })
  @ApiBadRequestResponse({ type: ErrorDto })
  list(@Query() query: CursorQuery): Promise<ProductPageDto> {
    return this.products.list(query);
  }
}
